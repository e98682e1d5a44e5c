/**
 * Starts the whole service in a separate process, as users start it, and measures the time until it reports that it
 * is ready, and until a phone can be borrowed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/phonebooth.mjs', import.meta.url));
const PREPARE = fileURLToPath(new URL('../../scripts/prepare.mjs', import.meta.url));
const READY_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 15_000;
const POLL_MS = 10;

// The command is a bundle, which must not be older than the sources.
execFileSync(process.execPath, [PREPARE], { stdio: 'inherit' });

export interface Served extends AsyncDisposable {
  /** Milliseconds from the start of the process to the line that says that the service is ready. */
  readyMs: number;
  /** Milliseconds from the start of the process until the first phone is available. */
  availableMs: number;
  origin: string;
  key: string;
  /** Path of the certificate of the local CA that signed the service's certificate. */
  caFile: string;
}

/** Runs a program until it exits and returns how long that took, in milliseconds. */
export async function timeToRun(args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - start;
}

/**
 * Starts the service. `folder` holds only this service's data and its compile cache, which are new if the folder is.
 * @throws Error with the output of the service if it is not ready in time.
 */
export async function serve(folder: string, settings: Record<string, string> = {}): Promise<Served> {
  const key = 'a-key-of-this-bench-and-of-nothing-else';
  const dataDir = join(folder, 'data');
  const start = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'serve'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      PHONEBOOTH_DATA_DIR: dataDir,
      PHONEBOOTH_PORT: '0',
      PHONEBOOTH_TLS_PORT: '0',
      PHONEBOOTH_API_KEY: key,
      ...settings,
    },
    // The service exits when the IPC channel closes, however the bench ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  try {
    const port = await portWhenReady(child);
    const readyMs = performance.now() - start;
    const caFile = join(dataDir, 'tls', 'ca.pem');
    const origin = `http://localhost:${port}`;
    await firstAvailable(origin, key);
    const served = { readyMs, availableMs: performance.now() - start, origin, key, caFile };
    return { ...served, [Symbol.asyncDispose]: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function portWhenReady(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const port = / is ready [\s\S]*http:\/\/localhost:(\d+)/.exec(printed)?.[1];
      if (port) resolve(Number(port));
    });
  }
  child.on('exit', () => reject(new Error(`the service exited during startup:\n${printed}`)));
  const timer = setTimeout(
    () => reject(new Error(`the service was not ready in time:\n${printed}`)),
    READY_DEADLINE_MS,
  );
  return promise.finally(() => clearTimeout(timer));
}

/** @throws DOMException if no phone is available in time */
async function firstAvailable(origin: string, key: string): Promise<void> {
  const signal = AbortSignal.timeout(READY_DEADLINE_MS);
  const request = { headers: { authorization: `Bearer ${key}` }, signal };
  for (;;) {
    const response = await fetch(`${origin}/v1/devices?status=available&page_size=1`, request);
    const { data } = (await response.json()) as { data: { total: number } };
    if (data.total > 0) return;
    await delay(POLL_MS, undefined, { signal });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(timer);
}
