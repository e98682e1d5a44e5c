/** The whole service as people start it, in a process of its own, and how long it takes to say that it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/phonebooth.mjs', import.meta.url));
const READY_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 15_000;

export interface Served extends AsyncDisposable {
  /** From the start of the process to the line that says so, milliseconds. */
  readyMs: number;
  origin: string;
  key: string;
  /** Certificate of the local CA that signed the service's own. */
  caFile: string;
}

/** Runs a program to its end, and answers how long that took, in milliseconds. */
export async function timeToRun(args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - start;
}

/**
 * `folder` is of the service alone: its data and its compiled sources, which are new when the folder is.
 * @throws Error with what it printed, when it is not ready in time.
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
    // The channel ends it with the bench, however that ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  try {
    const port = await portWhenReady(child);
    const readyMs = performance.now() - start;
    const caFile = join(dataDir, 'tls', 'ca.pem');
    const served = { readyMs, origin: `http://localhost:${port}`, key, caFile };
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
  child.on('exit', () => reject(new Error(`the service ended at its start:\n${printed}`)));
  const timer = setTimeout(
    () => reject(new Error(`the service was not ready in time:\n${printed}`)),
    READY_DEADLINE_MS,
  );
  return promise.finally(() => clearTimeout(timer));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(timer);
}
