import type { LoggedEvent } from '../../store/event-log.ts';
import type { WebhookMessage } from '../../store/webhook-store.ts';
import { toDevice } from '../devices/device-view.ts';
import type { ApiContext } from '../implement.ts';
import { sessionFacts } from '../session-view.ts';

/**
 * What webhooks are told of each thing that changed, as it is now. A session is told without the addresses of its
 * sockets, which are secrets of the account: a message goes through more hands than an answer does.
 */
export async function describeEvents(
  { store }: Pick<ApiContext, 'store'>,
  events: LoggedEvent[],
): Promise<WebhookMessage[]> {
  const idsOf = (kind: LoggedEvent['kind']) =>
    events.filter((event) => event.kind === kind).map(({ id }) => id);
  const [deviceIds, sessionIds] = [idsOf('device'), idsOf('session')];
  const devices = deviceIds.length === 0 ? [] : await store.getDevices(deviceIds);
  const sessions = sessionIds.length === 0 ? [] : await store.getSessions(sessionIds);
  const device = new Map(devices.map((row) => [row.id, toDevice(row)]));
  const session = new Map(sessions.map((row) => [row.id, sessionFacts(row)]));
  return events.flatMap(({ kind, id, accountId }): WebhookMessage[] => {
    const found = kind === 'device' ? device.get(id) : session.get(id);
    if (found) return [{ event: `${kind}.changed`, accountId, data: JSON.stringify(found) }];
    if (kind === 'session') return [];
    return [{ event: 'device.removed', accountId, data: JSON.stringify({ id }) }];
  });
}
