import { sharedPath } from '../../../contract/http/phone-file.ts';
import { expectMessage, pathOf, startFileTask } from '../../../control-plane/phone-files.ts';
import { implement } from '../../implement.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { liveSession } from '../live-session.ts';
import { fileTarget } from './file-target.ts';

export const deletePhoneFile = implement('sessions.files.delete', async (context, call) => {
  const names = pathOf(call.query.path);
  const path = sharedPath(names);
  call.audit.targets.push(fileTarget(path));
  const session = await liveSession(context, call.params.session_id, call.principal.accountId);
  using _slot = reserveSlot(context.transfers, call.principal.accountId, 'file operations');
  using channel = await startFileTask(context, session, { operation: 'remove', path: names });
  await expectMessage(channel, 'removed', path);
  return {};
});
