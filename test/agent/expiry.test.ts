import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import { noApiMeter } from '../../src/api/context.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { handleReport } from '../../src/control-plane/hosts/reports.ts';
import { handleSessionEnded } from '../../src/control-plane/hosts/session-ended.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link } from '../../src/link/link.ts';
import type { SessionRow } from '../../src/store/entities.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { noSteps } from '../../src/util/steps.ts';
import { AppSourceDouble, DriverDouble, PhoneDouble } from './phone-double.ts';

const MINUTE = 60_000;
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

/** A store, an agent with one phone, and the bus between them. A test can drop messages on the bus. */
class Rig implements AsyncDisposable {
  readonly phone = new PhoneDouble();
  readonly links: Link[] = [];
  /** True while the control plane's processes are stopped: they accept requests and never respond. */
  stopped = false;
  /** Responses that hosts received about sessions that were about to end. */
  readonly asked: string[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'phonebooth-expiry-'));
  private readonly bus = new InProcessBus();
  private readonly inProcess = new InProcessLinks();
  private readonly listener = this.inProcess.listen('gateway');
  private offset = 0;
  private agent!: Agent;
  store!: Store;
  private by!: { accountId: string; keyId: string };

  /** Unless a test shortens them, the deadlines are longer than the machine may stand still. */
  async start({ heartbeatMs = 60_000, confirmMs = 60_000, suspendedMs = 60_000 } = {}): Promise<this> {
    const log = silentLog;
    const location = { sqliteFile: join(this.folder, 'phonebooth.db') };
    this.store = await openStore(location, { log, clockOffsetMs: () => this.offset });
    const { store, bus } = this;
    const context = {
      store,
      bus,
      log,
      meter: noApiMeter,
      steps: noSteps,
      hostsMustBeKnown: false,
      maxDevicesPerHost: 10,
    };
    const account = { name: 'main', quotaMinutes: null, maxSessions: null };
    await store.ensureBootstrapKey({ account, hash: 'hash', prefix: 'pb_test' });
    this.by = (await store.authenticate('hash'))!;
    bus.serve('control-plane.report', ANY_ADDRESS, async (report, hostId) => {
      await this.answering();
      return handleReport(context, report, hostId);
    });
    bus.serve('control-plane.ended', ANY_ADDRESS, async (ended, hostId) => {
      await this.answering();
      const answer = await handleSessionEnded(context, ended, hostId);
      this.asked.push(`${ended.reason}: ${answer.lease ? 'refused' : 'ended'}`);
      return answer;
    });
    this.listener.accept(
      () => true,
      (link) => this.links.push(link),
    );
    this.agent = new Agent({
      ...{ hostId: 'host-1', hostName: 'shelf', bus, links: this.inProcess, log },
      ...{ drivers: [new DriverDouble([this.phone])], apps: new AppSourceDouble(), idleTimeoutMs: 0 },
      ...{ heartbeatMs, confirmMs, suspendedMs },
    });
    await this.agent.start();
    await until(async () =>
      expect(await store.getDevices(['phone-1'])).toMatchObject([{ status: 'available' }]),
    );
    return this;
  }

  /** Creates a connected session that the host serves, with a viewer. */
  async session(): Promise<SessionRow> {
    const { store, by } = this;
    const sessionId = randomUUID();
    const outcome = await store.connect({
      ...{ sessionId, deviceId: 'phone-1', ...by, minutes: 1, appId: null, idempotency: null },
      ...{ record: null, recordText: false },
    });
    if (!outcome.ok) throw new Error(outcome.refusal.why);
    const { session } = outcome;
    await this.order(session, session.remainingMs);
    await until(async () => expect((await store.getSession(sessionId))?.status).toBe('connected'));
    await this.view(session);
    return session;
  }

  /** Sends the host an order that says that `remainingMs` of the session are left. */
  async order({ id: sessionId, deviceId, epoch }: SessionRow, remainingMs: number): Promise<void> {
    const orders = [
      { deviceId, epoch, cleanEpoch: null, lease: { sessionId, epoch, remainingMs, app: null } },
    ];
    await this.bus.request('host.orders', 'host-1', { orders }, { timeoutMs: 60_000 });
  }

  view({ id: sessionId, epoch }: SessionRow): Promise<unknown> {
    const { ingest } = this.listener;
    const request = { sessionId, epoch, purpose: 'stream' as const, ingest, ticket: randomUUID() };
    return this.bus.request('host.dial', 'host-1', request, { timeoutMs: 60_000 });
  }

  extend(sessionId: string): Promise<unknown> {
    return this.store.extend({ sessionId, minutes: 30, maxMinutes: 100 });
  }

  travel(ms: number): void {
    this.offset += ms;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopped = false;
    await this.agent[Symbol.asyncDispose]();
    await this.bus[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }

  private async answering(): Promise<void> {
    while (this.stopped) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a session that has expired by its host’s clock', () => {
  let rig: Rig;
  beforeEach(() => {
    rig = new Rig();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  test('continues with its viewers if it was extended and the order was lost', async () => {
    await rig.start();
    const session = await rig.session();
    await rig.extend(session.id);
    await rig.order(session, 50);
    await until(() => expect(rig.asked).toEqual(['expired: refused']));
    expect(await rig.store.getSession(session.id)).toMatchObject({ status: 'connected', endReason: null });
    expect(rig.phone.session!.disposed).toBe(false);
    expect(rig.links.map((link) => link.closed)).toEqual([false]);
  });

  test('ends as expired if it was not extended, after one request to the control plane', async () => {
    await rig.start();
    const session = await rig.session();
    rig.travel(MINUTE);
    await rig.order(session, 50);
    await until(() => expect(rig.phone.session!.disposed).toBe(true));
    expect(await rig.store.getSession(session.id)).toMatchObject({ endReason: 'expired' });
    expect(rig.asked.filter((answer) => answer === 'expired: ended')).toHaveLength(1);
    await until(() => expect(rig.links[0]!.closed).toBe(true));
  });

  test('is suspended while the control plane is stopped, and resumes on the same phone if it was extended', async () => {
    await rig.start({ confirmMs: 100 });
    const session = await rig.session();
    await rig.extend(session.id);
    rig.stopped = true;
    await rig.order(session, 50);
    await until(() => expect(rig.links[0]!.closed).toBe(true));
    expect(rig.phone.session!.disposed).toBe(false);
    await expect(rig.view(session)).rejects.toThrow(/no phone of this host serves/);
    rig.stopped = false;
    await until(() => rig.view(session));
    expect(rig.links.at(-1)!.closed).toBe(false);
    expect(rig.phone.opened).toBe(1);
    expect(await rig.store.getSession(session.id)).toMatchObject({ status: 'connected', endReason: null });
  });

  test('loses its phone if the control plane does not confirm it in time, but does not end as expired if it was extended', async () => {
    await rig.start({ heartbeatMs: 20, confirmMs: 100, suspendedMs: 400 });
    const session = await rig.session();
    await rig.extend(session.id);
    rig.stopped = true;
    await rig.order(session, 50);
    await until(() => expect(rig.phone.session!.disposed).toBe(true));
    rig.stopped = false;
    await until(async () =>
      expect(await rig.store.getSession(session.id)).toMatchObject({ endReason: 'host_lost' }),
    );
    expect(rig.asked[0]).toBe('expired: refused');
  });
});
