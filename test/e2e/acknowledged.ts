import { expect } from 'vitest';
import { type Api, type Page, type Session, succeeded, type Usage } from '../black-box/kit/api.ts';

/** Records what a service acknowledged to the clients of a test, across all restarts, and verifies it afterwards. */
export class Acknowledged {
  readonly connects = new Map<string, { deviceId: string; minutes: number }>();
  /** Ended sessions, as the response to the disconnect showed them. */
  readonly disconnects = new Map<string, Session>();

  connected({ session_id, device_id, minutes_reserved }: Session): void {
    this.connects.set(session_id, { deviceId: device_id, minutes: minutes_reserved });
  }

  disconnected(session: Session): void {
    this.disconnects.set(session.session_id, session);
  }

  /**
   * Compares the API's current state with what was acknowledged, and checks two invariants: at most one live session
   * per phone, and every minute is either charged or reserved. No requests may be in progress.
   * @returns the live sessions
   */
  async verify(api: Api): Promise<Session[]> {
    const sessions = await allSessions(api);
    const byId = new Map(sessions.map((session) => [session.session_id, session]));
    for (const [id, { deviceId, minutes }] of this.connects) {
      const { device_id, minutes_reserved } = byId.get(id) ?? {};
      expect({ id, device_id, minutes_reserved }).toEqual({
        id,
        device_id: deviceId,
        minutes_reserved: minutes,
      });
    }
    for (const [id, { end_reason, ended_at, minutes_charged }] of this.disconnects) {
      expect(byId.get(id)).toMatchObject({
        session_id: id,
        status: 'disconnected',
        ...{ end_reason, ended_at, minutes_charged },
      });
    }
    const live = sessions.filter(({ status }) => status !== 'disconnected');
    expect(new Set(live.map(({ device_id }) => device_id)).size, 'live sessions of one device').toBe(
      live.length,
    );
    await verifyUsage(api, sessions, live);
    return live;
  }
}

async function verifyUsage(api: Api, sessions: Session[], live: Session[]): Promise<void> {
  const charged = sessions.reduce((sum, { minutes_charged }) => sum + (minutes_charged ?? 0), 0);
  const reserved = live.reduce((sum, { minutes_reserved }) => sum + minutes_reserved, 0);
  const usage = succeeded(await api.get<Usage>('/usage'));
  expect(usage.minutes).toMatchObject({ used: charged + reserved, reserved });
  expect(usage.sessions.live).toBe(live.length);
}

async function allSessions(api: Api): Promise<Session[]> {
  const items: Session[] = [];
  for (let page = 1; ; page++) {
    const data = succeeded(await api.get<Page<Session>>(`/sessions?page_size=100&page=${page}`));
    items.push(...data.items);
    if (items.length >= data.total) return items;
  }
}
