import { describe, expect, test } from 'vitest';
import type { LoggedEvent } from '../../src/store/events/event-log.ts';
import { MINUTE, type World } from './world.ts';

const HOUR = 60 * MINUTE;
const device = (id: string): LoggedEvent => ({ kind: 'device', id, accountId: null, groupId: null });
const byId = (a: LoggedEvent, b: LoggedEvent) => `${a.kind}${a.id}`.localeCompare(`${b.kind}${b.id}`);

export function eventTests(world: World): void {
  const read = (after: string | null, limit = 1_000) => world.store.readEvents(after, limit);
  const now = async () => (await read(null)).cursor;
  const logged = async () =>
    Number((await world.query<{ n: number }>('select count(*) as n from events'))[0]!.n);
  const trim = (bounds: { maxAgeMs?: number; maxCount?: number; limit?: number }) =>
    world.store.trimEvents({ maxAgeMs: 24 * HOUR, maxCount: 100_000, limit: 1_000, ...bounds });

  /** Returns the events that `work` causes. */
  async function eventsOf(work: () => Promise<unknown>): Promise<LoggedEvent[]> {
    const before = await now();
    await work();
    const { events, more, reset } = await read(before);
    expect({ more, reset }).toEqual({ more: false, reset: false });
    return events.sort(byId);
  }

  describe('the event log', () => {
    test('records phones that appear, change and disappear, and nothing else', async () => {
      const d1 = { id: 'd1' };
      expect(await eventsOf(() => world.report([d1, { id: 'd2' }]))).toEqual([device('d1'), device('d2')]);
      expect(await eventsOf(() => world.report([d1, { id: 'd2' }]))).toEqual([]);
      const renamed = { name: 'Another', brand: 'google', model: 'GX7AS', os_version: '14' };
      const description = { id: 'd1', ...renamed, screen_size: '6.1', resolution: '1080x2400' };
      expect(await eventsOf(() => world.report([{ ...d1, description }, { id: 'd2' }]))).toEqual([
        device('d1'),
      ]);
      expect(await eventsOf(() => world.report([{ ...d1, description }]))).toEqual([device('d2')]);
      const flagged = `update devices set maintenance = 1, status = 'maintenance' where id = 'd1'`;
      expect(await eventsOf(() => world.query(flagged))).toEqual([device('d1')]);
      // The device is visible neither before nor after the change, so there is no event
      expect(await eventsOf(() => world.query(`update devices set name = 'x'`))).toEqual([]);
      expect(await eventsOf(() => world.query('delete from devices'))).toEqual([]);
    });

    test('records nothing for a heartbeat without changes', async () => {
      await world.report([{ id: 'd1' }, { id: 'd2', cleanEpoch: null }]);
      const before = await logged();
      for (const complete of [true, false]) {
        await world.report([{ id: 'd1' }, { id: 'd2', cleanEpoch: null }], { complete });
      }
      await world.store.reap({ limit: 10, hostSilenceMs: () => 60_000 });
      expect(await logged()).toBe(before);
    });

    test('records every step of a session with its account', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const before = await now();
      const session = await world.startSession(account, 'd1');
      const { accountId } = account;
      const event = { kind: 'session' as const, id: session.id, accountId, groupId: null };
      expect((await read(before)).events.sort(byId)).toEqual([device('d1'), event]);
      expect(await eventsOf(() => world.bringUp(session))).toEqual([event]);
      const more = { sessionId: session.id, minutes: 5, maxMinutes: 60 };
      // The device shows the latest end of its session
      const extension = await eventsOf(() => world.store.extend(more));
      expect(extension.sort(byId)).toEqual([device('d1'), event]);
      // There is no device event, because a phone that is being cleaned is as busy as before
      expect(await eventsOf(() => world.store.end({ sessionId: session.id, reason: 'client' }))).toEqual([
        event,
      ]);
      expect(await eventsOf(() => world.report([{ id: 'd1', cleanEpoch: 1 }]))).toEqual([device('d1')]);
    });

    test('merges several changes of one object, and returns all of them in pages', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `d${String(index).padStart(2, '0')}`);
      await world.report(ids.map((id) => ({ id })));
      let cursor = await now();
      for (let round = 0; round < 3; round += 1) await world.query(`update devices set name = 'n${round}'`);
      const seen: string[] = [];
      for (let page = 0; page < 20; page += 1) {
        const { events, more, ...next } = await read(cursor, 10);
        expect(events.length).toBeLessThanOrEqual(10);
        seen.push(...events.map(({ id }) => id));
        cursor = next.cursor;
        if (!more) break;
      }
      expect([...new Set(seen)].sort()).toEqual(ids);
      expect(await read(cursor)).toMatchObject({ events: [], more: false, reset: false });
      expect(
        (await eventsOf(() => world.query(`update devices set name = 'z' where id = 'd00'`))).length,
      ).toBe(1);
    });

    test.each([
      'nonsense',
      '',
      '1-2-3',
      '-1-0',
      '9'.repeat(400),
      '99999999999-0',
      '99999999999-99999999999',
      '1-1.99999999999999999999',
    ])('reports a cursor that it never issued and continues from now: %s', async (cursor) => {
      await world.report([{ id: 'd1' }]);
      const page = await read(cursor);
      expect(page).toMatchObject({ events: [], more: false, reset: true });
      await world.report([{ id: 'd2' }], { complete: false });
      expect(await read(page.cursor)).toMatchObject({ events: [device('d2')], reset: false });
    });

    test('deletes old events in bounded steps, and reports cursors from before that', async () => {
      const early = await now();
      await world.report(Array.from({ length: 10 }, (_, index) => ({ id: `d${index}` })));
      const between = await now();
      expect(await trim({})).toBe(0);
      world.travel(25 * HOUR);
      expect([await trim({ limit: 7 }), await trim({ limit: 7 }), await trim({ limit: 7 })]).toEqual([
        7, 3, 0,
      ]);
      expect(await read(early)).toMatchObject({ events: [], reset: true });
      expect(await read(between)).toMatchObject({ events: [], reset: false });
    });

    test('deletes the oldest events above a limit', async () => {
      const early = await now();
      for (let index = 0; index < 6; index += 1)
        await world.report([{ id: `d${index}` }], { complete: false });
      const late = await now();
      expect(await trim({ maxCount: 4 })).toBe(2);
      expect(await logged()).toBe(4);
      expect((await read(early)).reset).toBe(true);
      expect((await read(late)).reset).toBe(false);
    });

    test('omits nothing during concurrent writes, reads and trims', async () => {
      const accounts = await Promise.all([world.account(), world.account()]);
      const ids = Array.from({ length: 12 }, (_, index) => `d${index}`);
      await world.report(ids.map((id) => ({ id })));
      let cursor = await now();
      const received = new Set<string>();
      let working = true;
      const reader = async () => {
        let page = await read(cursor, 5);
        while (working || page.events.length > 0 || page.more) {
          expect(page.reset).toBe(false);
          for (const { id } of page.events) received.add(id);
          cursor = page.cursor;
          // The embedded engine reads synchronously, so other work would not get a turn
          await new Promise(setImmediate);
          page = await read(cursor, 5);
        }
      };
      const sessions: string[] = [];
      const writer = async (index: number) => {
        for (let round = 0; round < 8; round += 1) {
          const outcome = await world.connect(accounts[index % 2]!, ids[index]!);
          if (!outcome.ok) throw new Error(outcome.refusal.why);
          sessions.push(outcome.session.id);
          await world.store.end({ sessionId: outcome.session.id, reason: 'client' });
          await world.report([{ id: ids[index]!, cleanEpoch: outcome.session.epoch }], { complete: false });
          await trim({});
        }
      };
      const reading = reader();
      await Promise.all(ids.map((_, index) => writer(index)));
      working = false;
      await reading;
      expect(sessions.filter((id) => !received.has(id))).toEqual([]);
      expect(ids.filter((id) => !received.has(id))).toEqual([]);
    });
  });

  describe('reading what events refer to', () => {
    test('returns visible phones by their ids', async () => {
      await world.report([{ id: 'd1' }, { id: 'd2', usable: false, problem: 'x' }, { id: 'd3' }]);
      const devices = await world.store.getDevices(['d3', 'd2', 'd1', 'd0']);
      expect(devices.map(({ id }) => id).sort()).toEqual(['d1', 'd3']);
      expect(devices.find(({ id }) => id === 'd1')).toEqual(await world.device('d1'));
    });

    test('returns keys that are still valid', async () => {
      const [one, two] = [await world.account(), await world.account()];
      const ids = [one.keyId, two.keyId, 'key_none'];
      expect((await world.store.validGrants(ids)).sort()).toEqual([one.keyId, two.keyId].sort());
      await world.store.revokeKey(one.keyId);
      expect(await world.store.validGrants(ids)).toEqual([two.keyId]);
    });
  });
}
