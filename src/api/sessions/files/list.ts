import {
  type PhoneFile,
  parseSharedPath,
  SHARED_STORAGE,
  sharedPath,
} from '../../../contract/http/phone-file.ts';
import { expectMessage, pathOf, startFileTask, toPhoneFile } from '../../../control-plane/phone-files.ts';
import type { FileMessage } from '../../../link/messages.ts';
import { implement } from '../../implement.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { liveSession } from '../live-session.ts';

export const listPhoneFiles = implement('sessions.files.list', async (context, call) => {
  const names = pathOf(call.query.path ?? SHARED_STORAGE);
  const session = await liveSession(context, call.params.session_id, call.principal.accountId);
  using _slot = reserveSlot(context.transfers, call.principal.accountId, 'file operations');
  using channel = await startFileTask(context, session, { operation: 'list', path: names });
  const { items, hasMore } = await expectMessage(channel, 'listing', sharedPath(names));
  return { path: sharedPath(names), items: items.flatMap((item) => entryOf(names, item)), has_more: hasMore };
});

/** A name that a request could not contain, such as one with a control character, is omitted. */
function entryOf(
  folder: string[],
  item: Extract<FileMessage, { type: 'listing' }>['items'][number],
): PhoneFile[] {
  try {
    const names = parseSharedPath(sharedPath([...folder, item.name]));
    return names.length === folder.length + 1 ? [toPhoneFile(names, item)] : [];
  } catch {
    return [];
  }
}
