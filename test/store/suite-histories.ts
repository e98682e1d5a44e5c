import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionRow } from '../../src/store/entities.ts';
import { expectInvariants } from './invariants.ts';
import { type Account, MINUTE, type World } from './world.ts';

const DEVICES = ['d0', 'd1', 'd2'];

/** One step of a random history. Numbers select one of the existing items. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('connect' as const),
      device: fc.nat(2),
      minutes: fc.integer({ min: 1, max: 40 }),
      account: fc.nat(1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), session: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('extend' as const),
      session: fc.nat(9),
      minutes: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      phones: fc.subarray([0, 1, 2]),
      usable: fc.boolean(),
      connected: fc.boolean(),
      complete: fc.boolean(),
      host: fc.constantFrom('host-1', 'host-2'),
      /** How many epochs the phone's last cleaning lags behind the newest epoch. null: unknown. */
      behind: fc.option(fc.nat(1)),
      stale: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reap' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('travel' as const),
      ms: fc.constantFrom(1_000, 11_000, MINUTE, 25 * MINUTE, 15 * 24 * 60 * MINUTE),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export function historyTests(world: World): void {
  test('the rows are consistent after every step of any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const history = new History(world, [
          await world.account({ quotaMinutes: 120, maxSessions: 2 }),
          await world.account(),
        ]);
        await history.perform({
          do: 'report',
          phones: [0, 1, 2],
          usable: true,
          connected: false,
          complete: true,
          host: 'host-1',
          behind: 0,
          stale: 0,
        });
        for (const one of steps) {
          await history.perform(one);
          await expectInvariants(world);
        }
      }),
      { numRuns: 15 },
    );
  });
}

class History {
  private readonly world: World;
  private readonly accounts: Account[];
  private readonly sessions: SessionRow[] = [];

  constructor(world: World, accounts: Account[]) {
    this.world = world;
    this.accounts = accounts;
  }

  async perform(one: Step): Promise<void> {
    const { store } = this.world;
    if (one.do === 'travel') this.world.travel(one.ms);
    if (one.do === 'reap') await this.reap(one.limit);
    if (one.do === 'report') await this.report(one);
    if (one.do === 'connect') {
      const outcome = await this.world.connect(this.accounts[one.account]!, DEVICES[one.device]!, {
        minutes: one.minutes,
      });
      if (outcome.ok) this.sessions.push(outcome.session);
    }
    const session = 'session' in one ? this.sessions.at(-1 - one.session) : undefined;
    if (!session) return;
    if (one.do === 'end') await store.end({ sessionId: session.id, reason: 'client' });
    if (one.do === 'extend') {
      await store.extend({ sessionId: session.id, minutes: one.minutes, maxMinutes: 60 });
    }
  }

  /** Runs the reaper with a limit and then without. Asserts that no session is overdue afterwards. */
  private async reap(limit: number): Promise<void> {
    const { store } = this.world;
    await store.reap({ limit, hostSilenceMs: () => 10_000 });
    await store.reap({ limit: 1_000, hostSilenceMs: () => 10_000 });
    const rows = await store.getSessions(this.sessions.map(({ id }) => id));
    const overdue = rows.filter((row) => row.status !== 'disconnected' && row.remainingMs <= 0);
    expect(overdue).toEqual([]);
  }

  private async report(one: Extract<Step, { do: 'report' }>): Promise<void> {
    const orders = await this.orders(one.host);
    const phones = one.phones.map((index) => {
      const id = DEVICES[index]!;
      const order = orders.get(id);
      const lease = order?.session ?? this.sessions.at(-1 - one.stale);
      return {
        id,
        usable: one.usable,
        problem: one.usable ? null : 'out of order',
        cleanEpoch: one.behind === null ? null : Math.max(0, (order?.epoch ?? 0) - one.behind),
        lease: lease
          ? { sessionId: lease.id, epoch: lease.epoch, connected: one.connected, app: null }
          : null,
      };
    });
    await this.world.report(phones, { hostId: one.host, complete: one.complete });
  }

  /** Returns the current epoch and live session of each of the host's phones. */
  private async orders(hostId: string) {
    const devices = await this.world.query<{ id: string; host_id: string; epoch: number }>(
      'select id, host_id, epoch from devices where present = 1',
    );
    const sessions = await this.world.store.getSessions(this.sessions.map(({ id }) => id));
    const live = sessions.filter(({ status }) => status !== 'disconnected');
    return new Map(
      devices
        .filter(({ host_id }) => host_id === hostId)
        .map(({ id, epoch }) => {
          const session = live.find(({ deviceId }) => deviceId === id);
          return [id, { epoch: Number(epoch), session }];
        }),
    );
  }
}
