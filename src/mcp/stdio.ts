import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Phonebooth } from '../client/phonebooth.ts';
import type { Log } from '../util/log.ts';
import { BorrowedPhones } from './borrowed-phones.ts';
import { FileFolder } from './file-folder.ts';
import { phoneServer } from './phone-server.ts';

/**
 * Serves the AI agent that started this process over standard input and output, until the input ends or the signal is
 * aborted. Then it ends the sessions on the agent's phones.
 */
export async function serveOverStdio(
  service: Phonebooth,
  { version, log, folder, signal }: { version: string; log: Log; folder: string; signal: AbortSignal },
): Promise<void> {
  await using phones = new BorrowedPhones(service, log);
  const onerror = (error: Error) => log.debug({ err: error }, 'malformed message from the agent ignored');
  const files = new FileFolder(folder);
  const server = serveStdio(() => phoneServer(phones, { version, log, files }), { onerror });
  // When the client is killed, the end of standard input is the only indication.
  const { stdin, stdout } = process;
  await Promise.race([once(stdin, 'end'), once(stdin, 'close'), once(stdout, 'error'), aborted(signal)]);
  await server.close();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
