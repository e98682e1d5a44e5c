import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { Config } from '../server/config.ts';
import { isAllInOne, type Role } from '../server/roles.ts';
import { type Running, start } from '../server/start.ts';
import { VERSION } from '../server/version.ts';

/** Closing normally takes a second. A process that has not closed by then is stuck, and exits with an error code. */
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * Serves until SIGINT, on which it closes immediately because a person is waiting, or SIGTERM, on which it drains
 * first because a load balancer needs time to notice.
 */
export async function serve(config: Config, roles: readonly Role[]): Promise<void> {
  const log = pino({ level: config.logLevel }, pino.destination(2));
  const startedAt = performance.now();
  const running = await start(config, roles, log);
  const rows = [...controlPlaneRows(config, roles, running), ...agentRows(config, roles, running)];
  process.stdout.write(banner(rows, `Phonebooth ${VERSION}`, performance.now() - startedAt));
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM').then(() => drain(config, running))]);
  process.stdout.write('Shutting down. Sessions continue when the service starts again.\n');
  setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS).unref();
  await running[Symbol.asyncDispose]();
}

async function drain({ drainMs }: Config, running: Running): Promise<void> {
  if (drainMs === 0) return;
  process.stdout.write(
    `Draining for ${drainMs / 1000} s: /readyz answers 503, and requests are still served.\n`,
  );
  running.drain();
  await Promise.race([delay(drainMs), once(process, 'SIGTERM')]);
}

type Rows = [name: string, value: string][];

function banner(rows: Rows, name: string, tookMs: number): string {
  const lines = rows.map(([name, value]) => `  ${name.padEnd(9)}${value}`);
  return `\n${name} is ready (${(tookMs / 1000).toFixed(1)} s)\n\n${lines.join('\n')}\n\nPress Ctrl-C to stop.\n`;
}

function controlPlaneRows(config: Config, roles: readonly Role[], { controlPlane, ingest }: Running): Rows {
  if (!controlPlane) return [];
  const base = origin(config, controlPlane.port);
  const ca = controlPlane.caFile ? `, CA: ${show(controlPlane.caFile)}` : '';
  const api: Rows = [
    ['Console', base],
    ['API', `${base}/v1   (documentation: ${base}/docs)`],
    ['API key', describeKey(config, roles, controlPlane)],
  ];
  return [
    ...(roles.includes('api') ? api : []),
    ['Sockets', `wss:// on port ${controlPlane.tlsPort}${ca}`],
    ...(config.natsUrl === null ? [] : ([['Bus', config.natsUrl]] as Rows)),
    ...(ingest === null ? [] : ([['Hosts', `connect to ${ingest}`]] as Rows)),
  ];
}

/** Returns the service's origin as a browser on this machine would open it. */
function origin(config: Config, port: number): string {
  const host = ['127.0.0.1', '0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function agentRows(config: Config, roles: readonly Role[], { healthPort }: Running): Rows {
  if (!roles.includes('agent')) return [];
  const android = config.adb === 'off' ? '' : ' and the Android phones that adb finds';
  const phones: Rows = [['Phones', `${config.simulatedPhones} simulated${android}`]];
  if (roles.length > 1) return phones;
  return [
    ...phones,
    ['Host', config.hostCredential?.hostId ?? ''],
    ['Bus', config.natsUrl ?? ''],
    ['Health', `${origin(config, healthPort ?? config.port)}/readyz   (metrics: /metrics)`],
  ];
}

function describeKey(
  { apiKey, dataDir }: Config,
  roles: readonly Role[],
  { newKey }: { newKey: string | null },
): string {
  const file = show(`${dataDir}/api-key`);
  if (newKey) return `${newKey}   (shown once, stored in ${file})`;
  if (apiKey) return 'the one in PHONEBOOTH_API_KEY';
  return isAllInOne(roles) ? `in ${file}` : 'create one with phonebooth keys create';
}

/** Formats a path as a user would type it in the current folder. */
function show(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
