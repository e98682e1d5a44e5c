// Checks the chart in deploy/helm without a cluster: lints and renders it with Helm or, where Helm is not installed, renders
// it with Go's template engine (scripts/render-chart.go), with the default values and with everything turned on. Then it
// validates each manifest against the schemas of the Kubernetes API, which it downloads.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CHART = join(ROOT, 'deploy/helm/phonebooth');
const TOOLS = { 'kubernetes-models': '5.1.0' };
const STEP_DEADLINE_MS = 5 * 60_000;
/** A custom resource of the Prometheus operator, of which Kubernetes has no schema. */
const CUSTOM = ['ServiceMonitor'];

/** Runs in the folder of the tools, and prints the name of each manifest that is valid. */
const VALIDATE = `
import { readFileSync } from 'node:fs';
for (const manifest of JSON.parse(readFileSync(0, 'utf8'))) {
  const { apiVersion, kind, metadata } = manifest;
  const what = kind + ' ' + metadata.name;
  if (${JSON.stringify(CUSTOM)}.includes(kind)) {
    console.log(what + ' (no schema)');
    continue;
  }
  const { [kind]: Model } = await import('kubernetes-models/' + apiVersion);
  try {
    new Model(manifest).validate();
  } catch (error) {
    throw new Error(what + ': ' + error.message);
  }
  console.log(what);
}
`;

const REQUIRED = {
  nats: { url: 'tls://nats.example.com:4222' },
  streamUrl: 'wss://stream.example.com',
  controlUrl: 'wss://control.example.com',
};
const autoscaling = { enabled: true };
const EVERYTHING = {
  ...REQUIRED,
  image: { digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  nats: { ...REQUIRED.nats, caConfigMap: 'nats-ca' },
  settings: { PHONEBOOTH_MAX_DURATION: '120' },
  ingest: { reach: 'pod' },
  api: { autoscaling, service: { annotations: { 'example.com/name': 'api' } } },
  stream: { autoscaling },
  control: { autoscaling },
  ingress: {
    enabled: true,
    className: 'nginx',
    hosts: { api: 'phones.example.com', stream: 'stream.example.com', control: 'control.example.com' },
    tlsSecretName: 'ingress-tls',
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  apps: { storageClassName: 'nfs' },
  artifacts: { bucket: 'https://s3.eu-central-1.amazonaws.com/bucket' },
  agent: { enabled: true },
};

function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: STEP_DEADLINE_MS,
    ...options,
  });
  if (result.status === 0) return result.stdout;
  throw new Error(
    `${program} ${args[0]} failed:\n${result.error?.message ?? ''}${result.stdout}${result.stderr}`,
  );
}

const isInstalled = (program, args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Merges values as Helm does: objects by field, everything else is replaced. */
function merged(base, changes) {
  if (typeof base !== 'object' || base === null || Array.isArray(base) || typeof changes !== 'object')
    return changes;
  const fields = Object.entries(changes).map(([name, value]) => [name, merged(base[name], value)]);
  return { ...base, ...Object.fromEntries(fields) };
}

function withHelm(values, folder) {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  run('helm', ['lint', '--strict', CHART, '--values', file]);
  return run('helm', ['template', 'phonebooth', CHART, '--values', file]);
}

function withGo(values) {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const data = {
    Values: merged(defaults, values),
    Release: { Name: 'phonebooth' },
    Chart: { Name: chart.name, AppVersion: chart.appVersion },
  };
  const args = ['run', 'scripts/render-chart.go', join(CHART, 'templates')];
  return run('go', args, { input: JSON.stringify(data) });
}

function manifestsIn(text) {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const manifest = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}

const folder = mkdtempSync(join(tmpdir(), 'phonebooth-chart-'));
try {
  const hasHelm = isInstalled('helm', ['version']);
  if (!hasHelm && !isInstalled('go', ['version']))
    throw new Error('neither Helm nor Go is installed; install one of them (Debian: apt install golang-go)');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  writeFileSync(join(folder, 'validate.mjs'), VALIDATE);
  for (const [name, values] of Object.entries({ 'default values': REQUIRED, everything: EVERYTHING })) {
    const text = hasHelm ? withHelm(values, folder) : withGo(values);
    const input = JSON.stringify(manifestsIn(text));
    const names = run(process.execPath, ['validate.mjs'], { cwd: folder, input }).trim().split('\n');
    process.stdout.write(`${name}, rendered with ${hasHelm ? 'Helm' : 'Go'}: ${names.join(', ')}\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
