import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const START_TIMEOUT_MS = 15_000;

/** Path of the adb program on the PATH; null if there is none. */
export async function findAdb(path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = join(folder, process.platform === 'win32' ? 'adb.exe' : 'adb');
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return null;
}

/** Starts the adb server on this machine. It outlives this process. A server that is already running is kept. */
export async function startServer(program: string, port: number, signal: AbortSignal): Promise<void> {
  const child = spawn(program, ['-P', String(port), 'start-server'], {
    stdio: 'ignore',
    signal: AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]),
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`adb start-server exited with ${code}; run it in a terminal to see why`);
}
