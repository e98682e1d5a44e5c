import { ConfigError } from './environment.ts';

/** Where traces are sent. */
export interface TracesConfig {
  /** URL of the collector with its path; null: OpenTelemetry's variables name it. */
  url: string | null;
  protocol: 'http/protobuf' | 'http/json';
}

/** The protocol's variables, the more specific first. */
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * Returns whether and how traces are sent. The OpenTelemetry SDK reads all other variables itself; these decide whether
 * it is loaded at all. Returns null without a collector.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 * @throws ConfigError for a protocol that is not supported
 */
export function tracesConfig(url: string | null, environment: NodeJS.ProcessEnv): TracesConfig | null {
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  const hasEndpoint = ENDPOINTS.some((name) => environment[name]);
  if (isOff || (url === null && !hasEndpoint)) return null;
  const name = PROTOCOLS.find((variable) => environment[variable]);
  const protocol = name === undefined ? 'http/json' : environment[name]!;
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new ConfigError(
      name!,
      `must be http/protobuf or http/json, not ${JSON.stringify(protocol)}; collectors accept both on port 4318`,
    );
  return { url, protocol };
}
