import { Readable } from 'node:stream';
import { sharedPath } from '../../../contract/http/phone-file.ts';
import { expectMessage, fileTaskFailed, pathOf, startFileTask } from '../../../control-plane/phone-files.ts';
import type { FileChannel } from '../../../link/file-channel.ts';
import { implement } from '../../implement.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { FileResponse } from '../../responses.ts';
import { liveSession } from '../live-session.ts';
import { fileTarget } from './file-target.ts';

export const pullPhoneFile = implement('sessions.files.pull', async (context, call) => {
  const { accountId, keyId } = call.principal;
  const names = pathOf(call.query.path);
  const path = sharedPath(names);
  const session = await liveSession(context, call.params.session_id, accountId);
  await using opening = new AsyncDisposableStack();
  opening.use(reserveSlot(context.transfers, accountId, 'file operations'));
  const channel = opening.use(await startFileTask(context, session, { operation: 'read', path: names }));
  const { size } = await expectMessage(channel, 'file', path);
  const { action, address, targets } = call.audit;
  await context.trail.add({
    accountId,
    keyId,
    action,
    address,
    code: 0,
    subject: `${session.id} ${path}`,
    targets: [...targets, fileTarget(path)],
  });
  const bytes = Readable.from(exactly(channel, size), { objectMode: false });
  // A generator that waits for its reader does not notice that the host has gone.
  channel.whenFailed((error) => bytes.destroy(error));
  const open = opening.move();
  bytes.once('close', () => void open.disposeAsync());
  return new FileResponse({ name: names.at(-1)!, size, bytes });
});

/** Ends with an error, which closes the connection, when the host sends another number of bytes. */
async function* exactly(channel: FileChannel, size: number): AsyncGenerator<Uint8Array> {
  let received = 0;
  for await (const chunk of channel.receiveBytes()) {
    received += chunk.length;
    if (received > size) break;
    yield chunk;
  }
  if (received !== size) throw fileTaskFailed('the file changed while it was read');
}
