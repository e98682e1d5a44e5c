import { ApiError, invalidField } from '../../../contract/http/errors.ts';
import { sharedPath } from '../../../contract/http/phone-file.ts';
import {
  expectMessage,
  explain,
  pathOf,
  startFileTask,
  toPhoneFile,
} from '../../../control-plane/phone-files.ts';
import { FileChannelError } from '../../../link/file-channel.ts';
import { implement } from '../../implement.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { liveSession } from '../live-session.ts';
import { fileTarget } from './file-target.ts';

const MIB = 1024 * 1024;

export const pushPhoneFile = implement('sessions.files.push', async (context, call) => {
  const { maxFileBytes } = context;
  const names = pathOf(call.query.path);
  const path = sharedPath(names);
  if (names.length === 0) throw invalidField('query.path', 'must name a file');
  call.audit.targets.push(fileTarget(path));
  const { bytes, announcedBytes } = call.file;
  // The form around a file adds less than its own limit, so a larger body is too large in any case.
  if ((announcedBytes ?? 0) > maxFileBytes + FORM_BYTES) throw tooLarge(maxFileBytes);
  const session = await liveSession(context, call.params.session_id, call.principal.accountId);
  using _slot = reserveSlot(context.transfers, call.principal.accountId, 'file operations');
  using channel = await startFileTask(context, session, {
    operation: 'write',
    path: names,
    overwrite: call.query.overwrite === 'true',
    ...(announcedBytes !== null && { size: announcedBytes }),
  });
  await expectMessage(channel, 'ready', path);
  await channel.sendBytes(limited(bytes, maxFileBytes)).catch((error: unknown) => {
    throw error instanceof FileChannelError ? explain(error) : error;
  });
  const facts = await expectMessage(channel, 'written', path);
  return toPhoneFile(names, { kind: 'file', ...facts });
});

/** Maximum size of a multipart form around the file. */
const FORM_BYTES = 64 * 1024;

async function* limited(bytes: AsyncIterable<Uint8Array>, maximum: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maximum) throw tooLarge(maximum);
    yield chunk;
  }
}

const tooLarge = (maximum: number) =>
  new ApiError(
    'bodyTooLarge',
    `body is too large; the limit for a file is ${Math.floor(maximum / MIB)} MB (PHONEBOOTH_MAX_FILE_SIZE)`,
  );
