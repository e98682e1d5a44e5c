import type { Groups } from '../../domain/sight.ts';
import type { LoggedEvent } from '../../store/event-log.ts';
import type { Principal, Role } from '../../store/store.ts';
import { toDevice } from '../devices/device-view.ts';
import type { ApiContext } from '../implement.ts';
import { toSession } from '../session-view.ts';
import { type News, readNews, type Told, toldOf } from './news.ts';
import { eventMessage } from './server-sent-events.ts';

type Parts = Pick<ApiContext, 'store' | 'origins' | 'tokenKeys'>;

/** What is told of each thing that changed, written out once for all who hear of it. */
export interface Messages {
  get(event: LoggedEvent, listener: Pick<Principal, 'accountId' | 'role'>): string | undefined;
}

const NO_GROUPS: Groups = new Set();

/** Reads the rows of what changed and then, where groups matter, who of the listeners' accounts sees which. */
export async function readMessages(
  parts: Parts,
  events: LoggedEvent[],
  accountIds: Iterable<string>,
): Promise<Messages> {
  const news = await readNews(parts.store, events);
  const isOfGroup = ({ groupId }: { groupId: string | null }) => groupId !== null;
  const groupsMatter = events.some(isOfGroup) || news.devices.values().some(isOfGroup);
  const groups = groupsMatter ? await parts.store.groupsOf([...accountIds]) : null;
  const written = new Map<string, string>();
  return {
    get(event, { accountId, role }) {
      const told = toldOf(event, news, { id: accountId, groups: groups?.get(accountId) ?? NO_GROUPS });
      if (told === null) return undefined;
      // Who may only look is told of a session without what it takes to act on it
      const key = `${told} ${event.id} ${told === 'session.changed' && role === 'viewer'}`;
      const text = written.get(key) ?? eventMessage(told, dataOf(parts, told, event.id, news, role));
      written.set(key, text);
      return text;
    },
  };
}

function dataOf(parts: Parts, told: Told, id: string, news: News, role: Role): unknown {
  switch (told) {
    case 'device.changed':
      return toDevice(news.devices.get(id)!);
    case 'device.removed':
      return { id };
    case 'session.changed':
      return toSession(parts, news.sessions.get(id)!, role);
    case 'reset':
      return {};
  }
}
