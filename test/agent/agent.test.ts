import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Agent, type AgentOptions } from '../../src/agent/agent.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { AppRequest, BusRequests, PhoneOrder, PhoneStatus } from '../../src/bus/messages.ts';
import { packetType } from '../../src/contract/sockets/stream-packets.ts';
import { DriverError } from '../../src/drivers/driver.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link, LinkMessage } from '../../src/link/link.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import { until as eventually } from '../black-box/kit/wait.ts';
import { AppSourceDouble, DriverDouble, PhoneDouble } from './phone-double.ts';

type Ended = BusRequests['control-plane.ended']['request'];

/** Control plane's end of the bus. The test plays the role of the store. */
class ControlPlaneDouble {
  readonly bus = new InProcessBus();
  readonly links = new InProcessLinks();
  readonly ended: Ended[] = [];
  /** Orders returned in the response to every report. */
  orders: PhoneOrder[] = [];
  reports = 0;
  /** For each report: whether it was complete, and the ids of the phones that it named. */
  readonly named: { complete: boolean; ids: string[] }[] = [];
  /** Most recent status reported for each phone. */
  readonly phones = new Map<string, PhoneStatus>();
  reportAll = false;
  isUnavailable = false;
  /** Number of reported ends, including those that were not accepted. */
  endReports = 0;
  /** Rejects to fail the report of an end; never resolves to leave it without an answer. */
  beforeEnd: () => Promise<void> = async () => {};
  /** Number of reports rejected while the double was unavailable. */
  refused = 0;
  /** Called at each report. */
  onReport: () => void = () => {};

  constructor() {
    this.bus.serve('control-plane.report', ANY_ADDRESS, async ({ phones, complete }) => {
      if (this.isUnavailable) {
        this.refused += 1;
        throw new Error('unavailable');
      }
      this.reports += 1;
      this.onReport();
      const ids = phones.map(({ description }) => description.id);
      this.named.push({ complete, ids });
      if (complete) this.phones.clear();
      for (const phone of phones) this.phones.set(phone.description.id, phone);
      const { reportAll } = this;
      this.reportAll = false;
      return { orders: this.orders.filter(({ deviceId }) => ids.includes(deviceId)), reportAll };
    });
    this.bus.serve('control-plane.ended', ANY_ADDRESS, async (ended) => {
      if (this.isUnavailable) throw new Error('unavailable');
      this.endReports += 1;
      await this.beforeEnd();
      this.ended.push(ended);
      return {};
    });
  }

  order(
    epoch: number,
    sessionId: string | null,
    remainingMs = 60_000,
    app: AppRequest | null = null,
  ): Promise<unknown> {
    const lease = sessionId ? { sessionId, epoch, remainingMs, app } : null;
    this.orders = [{ deviceId: 'phone-1', epoch, cleanEpoch: null, lease }];
    return this.bus.request('host.orders', 'host-1', { orders: this.orders }, { timeoutMs: 60_000 });
  }

  dial(
    sessionId: string,
    epoch: number,
    purpose: 'stream' | 'control' | 'screenshot',
    more: { by?: { id: string; name: string } } = {},
  ): Promise<unknown> {
    const request = { sessionId, epoch, purpose, ingest: this.ingest, ticket: 'ticket', ...more };
    return this.bus.request('host.dial', 'host-1', request, { timeoutMs: 60_000 });
  }

  private readonly listener = this.links.listen('gateway');
  private readonly ingest = this.listener.ingest;
  readonly arrived: { link: Link; messages: LinkMessage[] }[] = [];

  takeLinks(): this {
    this.listener.accept(
      () => true,
      (link) => {
        const messages: LinkMessage[] = [];
        link.onMessage((message) => messages.push(message));
        this.arrived.push({ link, messages });
      },
    );
    return this;
  }
}

const HEARTBEAT_MS = 20;
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

async function setUp(options: Partial<AgentOptions> = {}, prepare?: (phone: PhoneDouble) => void) {
  const phone = new PhoneDouble();
  prepare?.(phone);
  const driver = new DriverDouble([phone]);
  const plane = new ControlPlaneDouble().takeLinks();
  const agent = new Agent({
    hostId: 'host-1',
    hostName: 'shelf',
    bus: plane.bus,
    links: plane.links,
    drivers: [driver],
    apps: new AppSourceDouble(),
    log: silentLog,
    idleTimeoutMs: 0,
    heartbeatMs: HEARTBEAT_MS,
    ...options,
  });
  open.push(plane.bus, agent);
  await agent.start();
  await until(() => expect(plane.reports).toBeGreaterThan(0));
  return { phone, driver, plane, agent };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 5 });
const statusOf = (plane: ControlPlaneDouble) => plane.phones.get('phone-1')!;

describe('whenSettled', () => {
  test('resolves when the control plane has recorded the phones as clean', async () => {
    const { agent, driver, plane } = await setUp();
    let isSettled = false;
    const settled = agent.whenSettled(driver, AbortSignal.timeout(60_000)).then(() => {
      isSettled = true;
    });
    await plane.order(0, null);
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(0));
    const reports = plane.reports;
    await until(() => expect(plane.reports).toBeGreaterThan(reports + 2));
    expect(isSettled).toBe(false);
    plane.orders = [{ deviceId: 'phone-1', epoch: 0, cleanEpoch: 0, lease: null }];
    await settled;
  });

  test('does not wait for a phone with a problem', async () => {
    const { agent, driver } = await setUp({}, (phone) => {
      phone.problem = 'the screen is broken';
    });
    await agent.whenSettled(driver, AbortSignal.timeout(60_000));
  });

  test('rejects when its signal is aborted', async () => {
    const { agent, driver } = await setUp();
    const late = agent.whenSettled(driver, AbortSignal.abort(new Error('aborted')));
    await expect(late).rejects.toThrow('aborted');
  });
});

describe('a lease', () => {
  test('is started on order and reported as connected once there is a frame', async () => {
    const { phone, plane } = await setUp();
    await plane.order(1, 'ses_1');
    await until(() =>
      expect(statusOf(plane).lease).toEqual({
        sessionId: 'ses_1',
        epoch: 1,
        connected: true,
        app: null,
      }),
    );
    expect(phone.opened).toBe(1);
  });

  test('is started at a heartbeat if the order was lost', async () => {
    const { phone, plane } = await setUp();
    plane.orders = [
      {
        deviceId: 'phone-1',
        epoch: 1,
        cleanEpoch: 0,
        lease: { sessionId: 'ses_1', epoch: 1, remainingMs: 60_000, app: null },
      },
    ];
    await until(() => expect(phone.opened).toBe(1));
  });

  test('is started once even if it is ordered repeatedly', async () => {
    const { phone, plane } = await setUp();
    for (let i = 0; i < 5; i++) await plane.order(1, 'ses_1');
    const reports = plane.reports;
    await until(() => expect(plane.reports).toBeGreaterThan(reports + 3));
    expect(phone.opened).toBe(1);
  });

  test('is ignored if its epoch is stale', async () => {
    const { phone, plane } = await setUp();
    await plane.order(5, 'ses_5');
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    await plane.bus.request(
      'host.orders',
      'host-1',
      { orders: [{ deviceId: 'phone-1', epoch: 4, cleanEpoch: null, lease: null }] },
      { timeoutMs: 60_000 },
    );
    expect(phone.session!.disposed).toBe(false);
    expect(statusOf(plane).lease?.sessionId).toBe('ses_5');
  });

  test('is not restarted by a late order after it ended', async () => {
    const { phone, plane } = await setUp();
    await plane.order(1, 'ses_1');
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    await plane.order(1, null);
    await plane.order(1, 'ses_1');
    await until(() => expect(phone.session!.disposed).toBe(true));
    plane.orders = [];
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(1));
    expect(phone.opened).toBe(1);
  });

  test('expires without the control plane and is reported once the control plane is back', async () => {
    const { phone, plane } = await setUp({ confirmMs: 20, suspendedMs: 50 });
    plane.isUnavailable = true;
    await plane.order(1, 'ses_1', 80);
    await until(() => expect(phone.opened).toBe(1));
    await until(() => expect(phone.session!.disposed).toBe(true));
    expect(plane.ended).toEqual([]);
    plane.isUnavailable = false;
    await until(() =>
      expect(plane.ended).toContainEqual({ sessionId: 'ses_1', epoch: 1, reason: 'expired', detail: null }),
    );
    expect(phone.opened).toBe(1);
  });

  test('lasts longer after an extension', async () => {
    const { phone, plane } = await setUp({ heartbeatMs: 60_000 });
    await plane.order(1, 'ses_1', 300);
    await plane.order(1, 'ses_1', 600_000);
    await until(() => expect(phone.opened).toBe(1));
    // A 300 ms lease that is not extended has expired by the time a later 400 ms lease on another agent expires.
    const other = await setUp({ heartbeatMs: 60_000 });
    await other.plane.order(1, 'ses_2', 400);
    await until(() => expect(other.phone.session?.disposed).toBe(true));
    expect(phone.session!.disposed).toBe(false);
  });

  test('ends with device_lost and a detail when the phone disconnects', async () => {
    const { phone, plane } = await setUp();
    await plane.order(1, 'ses_1');
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    phone.session!.lose({ detail: 'unplugged' });
    await until(() =>
      expect(plane.ended[0]).toEqual({
        sessionId: 'ses_1',
        epoch: 1,
        reason: 'device_lost',
        detail: 'unplugged',
      }),
    );
    expect(phone.opened).toBe(1);
  });

  test('ends with start_failed and the phone’s message if the phone fails to open', async () => {
    const { plane } = await setUp({}, (phone) => {
      phone.openError = new DriverError('failed', 'no encoder');
    });
    await plane.order(1, 'ses_1');
    await until(() =>
      expect(plane.ended[0]).toEqual({
        sessionId: 'ses_1',
        epoch: 1,
        reason: 'start_failed',
        detail: 'no encoder',
      }),
    );
  });

  test('ends as idle if it has no viewers and no control client', async () => {
    const { plane } = await setUp({ idleTimeoutMs: 50 });
    await plane.order(1, 'ses_1');
    await until(() => expect(plane.ended[0]).toMatchObject({ reason: 'idle' }));
  });

  test('is not idle while it has a viewer', async () => {
    const idleTimeoutMs = 60_000;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { plane, phone } = await setUp({ idleTimeoutMs });
    await plane.order(1, 'ses_1', 100 * idleTimeoutMs);
    await until(() => expect(phone.opened).toBe(1));
    await plane.dial('ses_1', 1, 'stream');
    vi.advanceTimersByTime(1.5 * idleTimeoutMs);
    const { reports } = plane;
    await until(() => expect(plane.reports).toBeGreaterThan(reports + 2));
    expect(plane.ended).toEqual([]);
    plane.arrived[0]!.link.close();
    await until(() => {
      vi.advanceTimersByTime(idleTimeoutMs);
      expect(plane.ended[0]).toMatchObject({ reason: 'idle' });
    });
  });
});

describe('a report', () => {
  const CLEAN: PhoneOrder = { deviceId: 'phone-1', epoch: 7, cleanEpoch: 7, lease: null };
  const isEmpty = ({ complete, ids }: ControlPlaneDouble['named'][0]) => !complete && ids.length === 0;

  test('names a phone until it settles, and every third report names all phones', async () => {
    // Time passes only by one heartbeat at each report, however late the reports are. `until` would advance it too.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { plane } = await setUp();
    plane.onReport = () => vi.advanceTimersByTime(HEARTBEAT_MS);
    plane.orders = [{ ...CLEAN, cleanEpoch: 6 }];
    await eventually('the phone to be clean', () => statusOf(plane).cleanEpoch === 7);
    const from = plane.named.length;
    await eventually('six more reports', () => plane.named.length > from + 6);
    expect(plane.named.filter(isEmpty)).toEqual([]);
    plane.orders = [CLEAN];
    await eventually('a report without phones', () => plane.named.some(isEmpty));
    const first = plane.named.findIndex(isEmpty);
    await eventually('twelve more reports', () => plane.named.length > first + 12);
    const settled = plane.named.slice(first);
    expect(settled.filter(isEmpty).length).toBeGreaterThan(settled.length / 3);
    expect(settled.filter(({ complete }) => complete).length).toBeGreaterThan(1);
    expect(settled.filter(({ complete, ids }) => complete !== ids.length > 0)).toEqual([]);
  });

  test('names a changed phone immediately, and all phones when the control plane asks for them', async () => {
    const drivers = [new DriverDouble([new PhoneDouble('phone-1'), new PhoneDouble('phone-2')])];
    const { plane } = await setUp({ heartbeatMs: 60_000, drivers });
    expect(plane.named[0]).toEqual({ complete: true, ids: ['phone-1', 'phone-2'] });
    await plane.order(1, 'ses_1');
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    expect(plane.named.slice(1).filter(({ complete }) => complete)).toEqual([]);
    plane.reportAll = true;
    await plane.order(1, null);
    await until(() => expect(plane.named.at(-1)).toEqual({ complete: true, ids: ['phone-1', 'phone-2'] }));
  });

  test('is followed by a complete report if it is not acknowledged', async () => {
    const { plane } = await setUp();
    plane.orders = [CLEAN];
    await until(() => expect(plane.named.some(isEmpty)).toBe(true));
    for (let turn = 0; turn < 5; turn++) {
      plane.isUnavailable = true;
      const refused = plane.refused;
      await until(() => expect(plane.refused).toBeGreaterThan(refused));
      const next = plane.named.length;
      plane.isUnavailable = false;
      await until(() => expect(plane.named.length).toBeGreaterThan(next));
      expect(plane.named[next]).toEqual({ complete: true, ids: ['phone-1'] });
    }
  });

  test('names the phone shortly before its lease expires, in case an extension was lost', async () => {
    const { plane } = await setUp();
    const lease = { sessionId: 'ses_1', epoch: 8, remainingMs: 60_000, app: null };
    plane.orders = [{ ...CLEAN, epoch: 8, lease }];
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    await until(() => expect(plane.named.slice(-2).some(isEmpty)).toBe(true));
    plane.orders = [{ ...CLEAN, epoch: 8, lease: { ...lease, remainingMs: 9_000 } }];
    await until(() => expect(plane.named.slice(-8).filter(isEmpty)).toEqual([]));
  });
});

test('logs once that ends of sessions cannot be reported, and once that they can', async () => {
  const lines: string[] = [];
  const warn = (_fields: object, message: string) => void lines.push(message);
  const { phone, plane } = await setUp({ log: { ...silentLog, warn } });
  await plane.order(1, 'ses_1');
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  plane.beforeEnd = () => Promise.reject(new Error('unavailable'));
  phone.session!.lose({ detail: 'unplugged' });
  await until(() => expect(plane.endReports).toBeGreaterThan(5));
  const FAILED = 'the end of a session could not be reported to the control plane; retrying';
  expect(lines).toEqual([FAILED]);
  plane.beforeEnd = async () => {};
  await until(() => expect(lines).toEqual([FAILED, 'the control plane accepts ends of sessions again']));
});

test('a heartbeat waits at most 2 s for the report of an ended session that gets no answer', async () => {
  const { phone, plane } = await setUp();
  await plane.order(1, 'ses_1');
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  const endReportsBefore: number[] = [];
  // The first report fails at once, so that a heartbeat repeats it; the repetition gets no answer
  plane.beforeEnd = async () => {
    if (plane.endReports === 1) throw new Error('unavailable');
    plane.onReport = () => endReportsBefore.push(plane.endReports);
    await new Promise(() => {});
  };
  phone.session!.lose({ detail: 'unplugged' });
  await until(() => expect(endReportsBefore).not.toEqual([]));
  // A report without an answer is repeated every second, and times out after 5 s. The order of the repetitions and the
  // heartbeat does not depend on how fast the machine is.
  expect(endReportsBefore[0]).toBeGreaterThanOrEqual(3);
  expect(endReportsBefore[0]).toBeLessThanOrEqual(4);
});

describe('cleaning', () => {
  test('is done for a phone with an unknown state before the phone is reported clean', async () => {
    const { phone, plane } = await setUp();
    expect(statusOf(plane).cleanEpoch).toBeNull();
    await plane.order(7, null);
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(7));
    expect(phone.cleaned).toBe(1);
  });

  test('is skipped for a phone that is recorded as clean and has not been used since', async () => {
    const { phone, plane } = await setUp();
    plane.orders = [{ deviceId: 'phone-1', epoch: 7, cleanEpoch: 7, lease: null }];
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(7));
    expect(phone.cleaned).toBe(0);
  });

  test('is skipped when a restarted host resumes a session', async () => {
    const { phone, plane } = await setUp();
    await plane.order(3, 'ses_3');
    await until(() => expect(phone.opened).toBe(1));
    expect(phone.cleaned).toBe(0);
  });

  test('follows every session', async () => {
    const { phone, plane } = await setUp();
    await plane.order(1, 'ses_1');
    await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
    await plane.order(1, null);
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(1));
    expect(phone.session!.disposed).toBe(true);
    expect(phone.cleaned).toBe(1);
  });

  test('is retried after a failure, and meanwhile the phone is unusable and reports why', async () => {
    const { phone, plane } = await setUp({}, (double) => {
      double.cleanError = new Error('uninstall hangs');
    });
    await plane.order(1, null);
    await until(() =>
      expect(statusOf(plane)).toMatchObject({ usable: false, problem: 'cleaning failed: uninstall hangs' }),
    );
    phone.cleanError = null;
    await until(() => expect(statusOf(plane)).toMatchObject({ usable: true, problem: null, cleanEpoch: 1 }));
  });
});

test('leaves a phone untouched after a pause until the control plane has confirmed its lease', async () => {
  let away = 0;
  const pauses = new PauseWatch([() => away]);
  const { phone, plane } = await setUp({ pauses });
  await plane.order(1, 'ses_1');
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  await plane.dial('ses_1', 1, 'control');
  const { link, messages } = plane.arrived[0]!;
  const tap = (id: number) => {
    link.send(JSON.stringify({ type: 'call', id, method: 'tap', params: { x: 0.5, y: 0.5 } }));
    return until(() => expect(messages.map((message) => JSON.parse(message as string).id)).toContain(id));
  };
  await tap(1);
  plane.isUnavailable = true;
  away = 30_000;
  const second = tap(2);
  link.send(new Uint8Array([4, 0]));
  await tap(3);
  await second;
  for (const message of messages.slice(-2))
    expect(JSON.parse(message as string)).toMatchObject({
      type: 'error',
      message: expect.stringContaining('was suspended'),
    });
  expect(phone.session!.performed).toHaveLength(1);
  expect(phone.session!.injected).toEqual([]);
  plane.isUnavailable = false;
  await until(() => expect(pauses.isInDoubt).toBe(false));
  await tap(4);
  expect(phone.session!.performed).toHaveLength(2);
});

test('executes the commands that it finds after a pause, in order, once the control plane has confirmed their lease', async () => {
  let away = 0;
  const pauses = new PauseWatch([() => away]);
  // The host reports at once instead of at its next heartbeat.
  const { phone, plane } = await setUp({ pauses, heartbeatMs: 3_600_000 });
  await plane.order(1, 'ses_1');
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  await plane.dial('ses_1', 1, 'control');
  const { link, messages } = plane.arrived[0]!;
  const send = (id: number) =>
    link.send(JSON.stringify({ type: 'call', id, method: 'tap', params: { x: 0.5, y: id / 10 } }));
  const order: string[] = [];
  phone.session!.answer = async (_method, params) => {
    order.push(`tap ${(params as { y: number }).y}`);
    return null;
  };
  phone.session!.inject = () => order.push('injected');
  away = 30_000;
  send(1);
  link.send(new Uint8Array([4, 0]));
  send(2);
  await until(() => expect(messages.map((message) => JSON.parse(message as string).id)).toContain(2));
  expect(order).toEqual(['tap 0.1', 'injected', 'tap 0.2']);

  // The control plane ends the lease in its answer to the report.
  away = 60_000;
  plane.orders = [{ deviceId: 'phone-1', epoch: 1, cleanEpoch: null, lease: null }];
  send(3);
  await until(() => expect(phone.session!.disposed).toBe(true));
  await until(() => expect(link.closed).toBe(true));
  expect(order).toHaveLength(3);
  expect(JSON.parse(messages.at(-1) as string)).toMatchObject({ type: 'error', id: 3 });
});

describe('an app', () => {
  const APP = { appId: 'app_1', request: 1 };
  const progressIn = (messages: LinkMessage[]) =>
    messages
      .map((message) => JSON.parse(message as string))
      .filter(({ method }) => method === 'app.progress')
      .map(({ params }) => params);
  const call = (link: Link, id: number, app_id: string) =>
    link.send(JSON.stringify({ type: 'call', id, method: 'app.install', params: { app_id } }));

  async function controlled(app: AppRequest | null = null) {
    const parts = await setUp();
    await parts.plane.order(1, 'ses_1', 60_000, app);
    await until(() => expect(statusOf(parts.plane).lease?.connected).toBe(true));
    await parts.plane.dial('ses_1', 1, 'control');
    await until(() => expect(parts.plane.arrived[0]?.messages[0]).toContain('ready'));
    return { ...parts, ...parts.plane.arrived[0]! };
  }
  const answers = (messages: LinkMessage[]) =>
    messages.map((message) => JSON.parse(message as string)).filter(({ id }) => id !== undefined);

  test('of the lease is installed once when the phone is ready, even if it is ordered repeatedly', async () => {
    const { phone, plane, messages } = await controlled(APP);
    await until(() =>
      expect(statusOf(plane).lease?.app).toEqual({ request: 1, status: 'installed', error: null }),
    );
    await plane.order(1, 'ses_1', 60_000, APP);
    await plane.order(1, 'ses_1', 60_000, APP);
    expect(phone.session!.installed.map(({ appId }) => appId)).toEqual(['app_1']);
    // A client that connects late is notified of the outcome
    const done = { app_id: 'app_1', state: 'installed', percent: 100 };
    await until(() => expect(progressIn(messages).at(-1)).toEqual(done));
    await plane.order(1, 'ses_1', 60_000, { ...APP, request: 2 });
    await until(() => expect(statusOf(plane).lease?.app).toMatchObject({ request: 2, status: 'installed' }));
    expect(phone.session!.installed).toHaveLength(2);
  });

  test('that the phone rejects is reported with the phone’s message, and the session continues', async () => {
    const { phone, plane, messages } = await controlled();
    phone.session!.take = async (_, { onProgress }) => {
      onProgress(40);
      throw new DriverError('failed', 'INSTALL_FAILED_NO_MATCHING_ABIS');
    };
    await plane.order(1, 'ses_1', 60_000, APP);
    const app = { request: 1, status: 'failed', error: 'INSTALL_FAILED_NO_MATCHING_ABIS' };
    await until(() => expect(statusOf(plane).lease).toMatchObject({ connected: true, app }));
    await until(() =>
      expect(progressIn(messages)).toEqual([
        { app_id: 'app_1', state: 'installing', percent: 0 },
        { app_id: 'app_1', state: 'installing', percent: 40 },
        { app_id: 'app_1', state: 'failed', percent: 40, message: app.error },
      ]),
    );
  });

  test('that cannot be downloaded is reported as failed', async () => {
    const { plane } = await controlled();
    await plane.order(1, 'ses_1', 60_000, { appId: 'missing', request: 1 });
    const app = { request: 1, status: 'failed', error: 'the app was deleted' };
    await until(() => expect(statusOf(plane).lease?.app).toEqual(app));
  });

  test('is installed by a call, one at a time, and the call is answered when it is installed', async () => {
    const { phone, link, messages } = await controlled();
    const running: (() => void)[] = [];
    phone.session!.take = () => new Promise((resolve) => running.push(resolve));
    call(link, 1, 'app_a');
    call(link, 2, 'app_b');
    await until(() => expect(running).toHaveLength(1));
    expect(phone.session!.installed.map(({ appId }) => appId)).toEqual(['app_a']);
    running[0]!();
    await until(() => expect(running).toHaveLength(2));
    await until(() => expect(answers(messages)).toEqual([{ type: 'result', id: 1, result: null }]));
    running[1]!();
    await until(() => expect(answers(messages)).toHaveLength(2));
    expect(phone.session!.performed).toEqual([]);
  });

  test('is rejected if too many installs are pending', async () => {
    const { phone, link, messages } = await controlled();
    phone.session!.take = () => new Promise(() => {});
    for (let id = 1; id <= 12; id++) call(link, id, `app_${id}`);
    await until(() => expect(answers(messages).length).toBeGreaterThan(0));
    expect(answers(messages)[0]).toMatchObject({ type: 'error', kind: 'failed' });
  });

  test('that hangs does not delay the end of the session', async () => {
    const { phone, plane } = await controlled();
    const session = phone.session!;
    let given: AbortSignal | undefined;
    session.take = (_, { signal }) => {
      given = signal;
      return new Promise(() => {});
    };
    await plane.order(1, 'ses_1', 60_000, APP);
    await until(() => expect(given).toBeDefined());
    await plane.order(1, null);
    await until(() => expect(session.disposed).toBe(true));
    expect(given!.aborted).toBe(true);
    await until(() => expect(statusOf(plane).cleanEpoch).toBe(1));
  });
});

describe('links', () => {
  const started = async () => {
    const parts = await setUp();
    await parts.plane.order(1, 'ses_1');
    await until(() => expect(statusOf(parts.plane).lease?.connected).toBe(true));
    return parts;
  };

  test('replay the size, the config and a keyframe to a late stream link immediately', async () => {
    const { plane } = await started();
    await plane.dial('ses_1', 1, 'stream');
    await until(() =>
      expect(plane.arrived[0]!.messages.map((message) => packetType(message as Uint8Array))).toEqual([
        'session',
        'config',
        'keyframe',
      ]),
    );
  });

  test('pass a keyframe request on to the phone', async () => {
    const { plane, phone } = await started();
    await plane.dial('ses_1', 1, 'stream');
    await until(() => expect(plane.arrived.length).toBe(1));
    const before = phone.session!.keyframes;
    plane.arrived[0]!.link.send('{"type":"keyframe"}');
    await until(() => expect(phone.session!.keyframes).toBe(before + 1));
  });

  test('reject a dial for a different epoch or session', async () => {
    const { plane } = await started();
    await expect(plane.dial('ses_1', 2, 'stream')).rejects.toThrow(
      /no phone of this host serves session ses_1 at epoch 2/,
    );
    await expect(plane.dial('ses_9', 1, 'stream')).rejects.toThrow(/ses_9/);
    expect(plane.arrived).toEqual([]);
  });

  test('carry calls, answers, injections and notifications on a control link', async () => {
    const { plane, phone } = await started();
    await plane.dial('ses_1', 1, 'control');
    const { link, messages } = await until1(plane, 0);
    link.send(JSON.stringify({ type: 'call', id: 1, method: 'tap', params: { x: 0.5, y: 0.5 } }));
    link.send(new Uint8Array([17]));
    await until(() => expect(messages.map(parse)).toContainEqual({ type: 'result', id: 1, result: null }));
    expect(parse(messages[0]!)).toEqual({
      type: 'ready',
      width: 540,
      height: 1200,
      capabilities: ['tap', 'screenshot', 'app.install', 'recording.mark'],
    });
    expect(phone.session!.performed).toEqual([{ method: 'tap', params: { x: 0.5, y: 0.5 } }]);
    expect(phone.session!.injected).toEqual([new Uint8Array([17])]);
    phone.session!.say({ method: 'clipboard.changed', params: { text: 'hi' } });
    await until(() =>
      expect(messages.map(parse)).toContainEqual({
        type: 'notification',
        method: 'clipboard.changed',
        params: { text: 'hi' },
      }),
    );
  });

  test('return a driver error with the phone’s message and without internal details', async () => {
    const { plane, phone } = await started();
    phone.session!.answer = async (_method, params) => {
      if ((params as { x: number }).x === 0)
        throw new DriverError('unsupported', 'this phone has no touch screen');
      throw new Error('secret internals');
    };
    await plane.dial('ses_1', 1, 'control');
    const { link, messages } = await until1(plane, 0);
    link.send(JSON.stringify({ type: 'call', id: 1, method: 'tap', params: { x: 0, y: 0 } }));
    link.send(JSON.stringify({ type: 'call', id: 2, method: 'tap', params: { x: 1, y: 0 } }));
    await until(() => expect(messages.length).toBe(3));
    expect(messages.slice(1).map(parse)).toEqual([
      { type: 'error', id: 1, kind: 'unsupported', message: 'this phone has no touch screen' },
      {
        type: 'error',
        id: 2,
        kind: 'failed',
        message: 'the phone could not execute the command; the log of its host says why',
      },
    ]);
  });

  test('give a newer control link control and block the older one', async () => {
    const { plane, phone } = await started();
    await plane.dial('ses_1', 1, 'control');
    const first = await until1(plane, 0);
    await plane.dial('ses_1', 1, 'control', { by: { id: 'key_2', name: 'Ana' } });
    await until1(plane, 1);
    first.link.send(new Uint8Array([17]));
    await until(() => expect(first.link.closed).toBe(true));
    expect(parse(first.messages.at(-1)!)).toEqual({
      type: 'taken-over',
      by: { id: 'key_2', name: 'Ana' },
    });
    expect(phone.session!.injected).toEqual([]);
  });

  test('lift a finger that a disconnected client left pressed', async () => {
    const { plane, phone } = await started();
    await plane.dial('ses_1', 1, 'control');
    const { link } = await until1(plane, 0);
    const down = new Uint8Array(32);
    down[0] = 2;
    down[9] = 7;
    link.send(
      JSON.stringify({ type: 'call', id: 1, method: 'touch', params: { action: 'down', x: 0.5, y: 0.5 } }),
    );
    link.send(down);
    await until(() => expect(phone.session!.injected).toEqual([down]));
    link.close();
    await until(() => expect(phone.session!.injected.length).toBe(2));
    expect(phone.session!.performed.at(-1)).toEqual({
      method: 'touch',
      params: { action: 'cancel', x: 0.5, y: 0.5 },
    });
    expect(phone.session!.injected[1]!.slice(0, 10)).toEqual(new Uint8Array([2, 3, 0, 0, 0, 0, 0, 0, 0, 7]));
  });

  test('close when the session ends', async () => {
    const { plane } = await started();
    await plane.dial('ses_1', 1, 'stream');
    await plane.dial('ses_1', 1, 'control');
    await until(() => expect(plane.arrived.length).toBe(2));
    await plane.order(1, null);
    await until(() => expect(plane.arrived.every(({ link }) => link.closed)).toBe(true));
  });

  const parse = (message: LinkMessage) => JSON.parse(message as string);
  const until1 = async (plane: ControlPlaneDouble, index: number) => {
    await until(() => expect(plane.arrived[index]?.messages.length).toBeGreaterThan(0));
    return plane.arrived[index]!;
  };
});

test('stops reporting a phone that the driver no longer lists', async () => {
  const { plane, driver } = await setUp();
  driver.change([]);
  await until(() => expect(plane.phones.size).toBe(0));
});

test('delivers a screenshot over a dedicated link', async () => {
  const { plane } = await setUp();
  await plane.order(1, 'ses_1');
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  await plane.dial('ses_1', 1, 'screenshot');
  const { link, messages } = plane.arrived[0]!;
  await until(() => expect(link.closed).toBe(true));
  expect(messages).toEqual([Buffer.from('cG5n', 'base64')]);
});

test('answers a rejected screenshot with the phone’s message, and takes none before the session is connected', async () => {
  const { plane, phone } = await setUp();
  phone.sends = false;
  await plane.order(1, 'ses_1');
  await until(() => expect(phone.session).not.toBeNull());
  await expect(plane.dial('ses_1', 1, 'screenshot')).rejects.toMatchObject({
    message: 'session ses_1 is not connected yet',
  });
  phone.session!.emitFrame();
  await until(() => expect(statusOf(plane).lease?.connected).toBe(true));
  phone.session!.answer = () => Promise.reject(new DriverError('failed', 'the screen is off'));
  expect(await plane.dial('ses_1', 1, 'screenshot')).toEqual({ refused: 'the screen is off' });
  phone.session!.answer = () => Promise.reject(new TypeError('driver bug'));
  expect(await plane.dial('ses_1', 1, 'screenshot')).toEqual({
    refused: 'the driver failed; the log of the host says why',
  });
  expect(plane.arrived).toEqual([]);
});
