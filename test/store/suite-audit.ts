import { describe, expect, test } from 'vitest';
import type { AuditFilter, AuditRow, NewAuditEntry } from '../../src/store/audit/audit-store.ts';
import { MINUTE, type World } from './world.ts';

const DAY = 1440 * MINUTE;

export function auditTests(world: World): void {
  const note = (more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
    accountId: null,
    keyId: null,
    action: 'devices.connect',
    address: '192.0.2.1',
    code: 0,
    targets: [],
    count: 1,
    agoMs: 0,
    ...more,
  });
  const list = async (filter: AuditFilter = {}) =>
    (await world.store.listAudit({ page: 1, pageSize: 100, ...filter })).items.map(({ action }) => action);

  describe('the audit trail', () => {
    test('records who did what, when, from where, to what, and the outcome', async () => {
      const account = await world.account({ name: 'team' });
      const before = world.now();
      const targets = [
        { kind: 'device' as const, id: 'd1' },
        { kind: 'session' as const, id: 's1' },
      ];
      const { accountId, keyId } = account;
      await world.store.addAudit([note({ accountId, keyId, code: 40010, targets, agoMs: 5_000 })]);
      const page = await world.store.listAudit({ page: 1, pageSize: 10 });
      expect(page).toEqual({
        total: 1,
        page: 1,
        page_size: 10,
        items: [
          {
            id: expect.stringMatching(/^aud_/),
            at: expect.any(Number),
            account: { id: accountId, name: 'team' },
            user: null,
            key: { id: keyId, prefix: 'pb_test' },
            action: 'devices.connect',
            address: '192.0.2.1',
            code: 40010,
            count: 1,
            targets,
          },
        ],
      });
      expect(page.items[0]!.at).toBeGreaterThanOrEqual(before - 5_000);
      expect(page.items[0]!.at).toBeLessThanOrEqual(world.now() - 5_000);
      await world.store.addAudit([]);
      await world.store.addAudit([note({ action: 'cli.keys.create', address: null })]);
      const [newest] = (await world.store.listAudit({ page: 1, pageSize: 1 })).items;
      expect(newest).toMatchObject({ account: null, key: null, address: null, targets: [] });
    });

    test('is listed newest first in the order of writing, and every filter applies', async () => {
      const account = await world.account();
      const device = { kind: 'device' as const, id: 'd1' };
      await world.store.addAudit([
        note({ action: 'one', targets: [device] }),
        note({ action: 'two', accountId: account.accountId }),
        note({ action: 'three', targets: [{ kind: 'session', id: 's1' }, device] }),
      ]);
      const until = world.now() + MINUTE;
      world.travel(2 * MINUTE);
      await world.store.addAudit([note({ action: 'four' })]);
      expect(await list()).toEqual(['four', 'three', 'two', 'one']);
      expect(await list({ target: 'd1' })).toEqual(['three', 'one']);
      expect(await list({ target: 's1', action: 'three' })).toEqual(['three']);
      expect(await list({ accountId: account.accountId })).toEqual(['two']);
      expect(await list({ action: 'nothing' })).toEqual([]);
      expect(await list({ until })).toEqual(['three', 'two', 'one']);
      expect(await list({ since: until })).toEqual(['four']);
      const second = await world.store.listAudit({ page: 2, pageSize: 3 });
      expect(second).toMatchObject({ total: 4, items: [{ action: 'one' }] });
    });

    test('is read in pages, each older than the previous one, while entries are written', async () => {
      await world.store.addAudit(
        Array.from({ length: 1_200 }, (_, at) => note({ action: `a${at % 2}`, code: at })),
      );
      const codes: number[] = [];
      let before: AuditRow | null = null;
      for (let part = 0; part < 10; part += 1) {
        const rows: AuditRow[] = await world.store.listAuditBefore({
          filter: { action: 'a1' },
          before,
          limit: 200,
        });
        codes.push(...rows.map(({ code }) => code));
        await world.store.addAudit([note({ action: 'a1', code: 9_999 })]);
        if (rows.length < 200) break;
        before = rows.at(-1)!;
      }
      expect(codes).toEqual(Array.from({ length: 600 }, (_, at) => 1_199 - 2 * at));
    });

    test('combines equal requests into one entry with a count', async () => {
      const [first, second] = await world.store.addAudit([
        note({ action: 'one', code: 40003 }),
        note({ action: 'two', code: 40003, count: 3 }),
      ]);
      await world.store.countAudit([{ ...first!, count: 12 }]);
      await world.store.countAudit([]);
      const { items } = await world.store.listAudit({ page: 1, pageSize: 10 });
      expect(items.map(({ id, action, count }) => ({ id, action, count }))).toEqual([
        { id: second!.id, action: 'two', count: 3 },
        { id: first!.id, action: 'one', count: 12 },
      ]);
    });

    test('is bounded, and no account displaces the entries of others', async () => {
      const [busy, quiet] = [await world.account(), await world.account()];
      const add = (count: number, more: Partial<NewAuditEntry>) =>
        world.store.addAudit(Array.from({ length: count }, (_, at) => note({ ...more, code: at })));
      await add(20, { accountId: busy.accountId, action: 'busy' });
      await add(3, { accountId: quiet.accountId, action: 'quiet' });
      await add(4, { action: 'nobody' });
      const bound = (maxEntries: number, limit = 100) => world.store.boundAudit({ maxEntries, limit });
      const countsBy = async () => {
        const actions = await list();
        return ['busy', 'quiet', 'nobody'].map((name) => actions.filter((action) => action === name).length);
      };
      expect(await bound(27)).toBe(0);
      expect(await bound(17, 4)).toBe(4);
      expect(await countsBy()).toEqual([16, 3, 4]);
      expect(await bound(17)).toBe(6);
      expect(await countsBy()).toEqual([10, 3, 4]);
      const left = await world.store.listAudit({ action: 'busy', page: 1, pageSize: 100 });
      expect(left.items.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, (_, at) => 19 - at));
      expect(await bound(6)).toBe(11);
      expect(await countsBy()).toEqual([2, 2, 2]);
    });

    test('is swept from its oldest end in bounded steps', async () => {
      await world.store.addAudit(Array.from({ length: 5 }, () => note({ action: 'old' })));
      world.travel(2 * DAY);
      await world.store.addAudit([note({ action: 'new' })]);
      const sweep = () => world.store.sweepAudit({ olderThanMs: DAY, limit: 3 });
      expect(await sweep()).toBe(3);
      expect(await list()).toEqual(['new', 'old', 'old']);
      expect(await sweep()).toBe(2);
      expect(await sweep()).toBe(0);
      expect(await list()).toEqual(['new']);
    });
  });
}
