{{- define "phonebooth.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "phonebooth.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: http }
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
{{- end }}

{{- define "phonebooth.pod" -}}
# Without this, Kubernetes sets variables for Services whose names look like settings of Phonebooth.
enableServiceLinks: false
automountServiceAccountToken: false
# The process drains for 5 s (PHONEBOOTH_DRAIN_SECONDS) and exits within another 10 s.
terminationGracePeriodSeconds: 30
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "phonebooth.container" -}}
image: {{ include "phonebooth.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "phonebooth.nats" -}}
- name: PHONEBOOTH_NATS_URL
  value: {{ required "nats.url is needed: the NATS server where the roles meet" .Values.nats.url | quote }}
{{- if .Values.nats.caConfigMap }}
- name: PHONEBOOTH_NATS_CA
  value: /etc/phonebooth/nats/ca.pem
{{- end }}
{{- end }}
