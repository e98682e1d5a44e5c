import { invalidField } from '../../../contract/http/errors.ts';
import { sharedPath } from '../../../contract/http/phone-file.ts';
import {
  expectMessage,
  pathOf,
  startFileTask,
  toFileTaskError,
  toPhoneFile,
} from '../../../control-plane/phone-files.ts';
import { FileChannelError } from '../../../link/file-channel.ts';
import { checkAnnouncedBytes, withinLimit } from '../../file-limit.ts';
import { implement } from '../../implement.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { liveSession } from '../live-session.ts';
import { fileTarget } from './file-target.ts';

export const pushPhoneFile = implement('sessions.files.push', async (context, call) => {
  const limit = {
    maxBytes: context.maxFileBytes,
    what: 'a file',
    setting: 'PHONEBOOTH_MAX_FILE_SIZE',
  } as const;
  const names = pathOf(call.query.path);
  const path = sharedPath(names);
  if (names.length === 0) throw invalidField('query.path', 'must name a file');
  call.audit.targets.push(fileTarget(path));
  const { bytes, announcedBytes } = call.file;
  checkAnnouncedBytes(announcedBytes, limit);
  const session = await liveSession(context, call.params.session_id, call.principal.accountId);
  using _slot = reserveSlot(context.transfers, call.principal.accountId, 'file operations');
  using channel = await startFileTask(context, session, {
    operation: 'write',
    path: names,
    overwrite: call.query.overwrite === 'true',
    ...(announcedBytes !== null && { size: announcedBytes }),
  });
  await expectMessage(channel, 'ready', path);
  await channel.sendBytes(withinLimit(bytes, limit)).catch((error: unknown) => {
    throw error instanceof FileChannelError ? toFileTaskError(error) : error;
  });
  const facts = await expectMessage(channel, 'written', path);
  return toPhoneFile(names, { kind: 'file', ...facts });
});
