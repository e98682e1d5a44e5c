import { once } from 'node:events';
import { relative } from 'node:path';
import { pino } from 'pino';
import { type AllInOne, startAllInOne } from '../main/all-in-one.ts';
import type { Config } from '../main/config.ts';

/** Closing takes a second; a process that has not closed by then is stuck, and says so by its exit code. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Serves until it is told to stop by SIGINT or SIGTERM. */
export async function serve(config: Config, version: string): Promise<void> {
  const log = pino(
    { level: config.logLevel, serializers: { error: pino.stdSerializers.err } },
    pino.destination(2),
  );
  const startedAt = performance.now();
  const service = await startAllInOne(config, log);
  process.stdout.write(banner(config, service, version, performance.now() - startedAt));
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  process.stdout.write('Closing; sessions go on when it starts again.\n');
  setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS).unref();
  await service[Symbol.asyncDispose]();
}

function banner(config: Config, service: AllInOne, version: string, tookMs: number): string {
  const host = ['127.0.0.1', '0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host;
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${service.port}`;
  const rows = [
    ['Console', base],
    ['API', `${base}/v1   (reference: ${base}/docs)`],
    ['API key', describeKey(config, service)],
    ['Sockets', `wss:// on port ${service.tlsPort}${service.caFile ? `, CA: ${show(service.caFile)}` : ''}`],
    [
      'Phones',
      `${config.simulatedPhones} simulated${config.adb === 'off' ? '' : ', and the Android phones that adb sees'}`,
    ],
  ];
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(9)}${value}`);
  return `\nPhonebooth ${version} is ready (${(tookMs / 1000).toFixed(1)} s)\n\n${lines.join('\n')}\n\nStop it with Ctrl-C.\n`;
}

function describeKey(config: Config, { newKey }: AllInOne): string {
  const file = show(`${config.dataDir}/api-key`);
  if (newKey) return `${newKey}   (shown once, kept in ${file})`;
  return config.apiKey ? 'the one in PHONEBOOTH_API_KEY' : `in ${file}`;
}

/** A path as one would type it from here. */
function show(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
