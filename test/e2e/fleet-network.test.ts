import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, freeDevice, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { clockOff } from '../fixtures/clock.ts';
import { FarNetwork, whyNoFarNetwork } from '../fixtures/far-network.ts';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { freePort } from '../fixtures/free-port.ts';
import { isNightly, promised } from '../nightly.ts';
import { Acknowledged } from './acknowledged.ts';
import { Borrowers } from './borrowers.ts';
import { apiAt, at, available, intact, trustOf } from './fleet-rig.ts';

/**
 * Together with a machine that stands still for some seconds, it must stay below the silence after which a host counts as
 * lost.
 */
const OUTAGE_SECONDS = isNightly ? 4 : 2;

/**
 * Tests a host in a separate network with a separate wall clock. The host opens outbound connections only; no inbound
 * connection can reach it.
 */
function testAcrossNetworks(): void {
  const opened = new AsyncDisposableStack();
  const seen = new Acknowledged();
  let network: FarNetwork;
  let fleet: Fleet;
  let processes: FleetProcess[];
  /** Gateways that the host cannot reach: packets to one are dropped, and nothing listens at the other's address. */
  let unreachable: { stream: FleetProcess; control: FleetProcess };
  let api: Api;
  let trust: { ca: string };
  let phones: string[];

  beforeAll(async () => {
    network = opened.use(await FarNetwork.open());
    fleet = opened.use(await startFleet({ host: network.near }));
    trust = trustOf(fleet);
    const dead = opened.use(await Blackhole.listen(network.near));
    const ingest = (port: number) => ({ PHONEBOOTH_INGEST_URL: `wss://${network.near}:${port}` });
    // Starts a few processes at a time, because starting all at once would take as long for each as for all.
    processes = [
      ...(await Promise.all([fleet.add('api'), fleet.add('stream'), fleet.add('control')])),
      ...(await Promise.all([
        fleet.add('stream', ingest(dead.port)),
        fleet.add('control', ingest(await freePort())),
        fleet.addHost('far', { PHONEBOOTH_SIMULATED_PHONES: '2', ...clockOff(300) }, network.through),
      ])),
    ];
    unreachable = { stream: processes[3]!, control: processes[4]! };
    api = await apiAt(processes[0]!, fleet);
    await available(api, 2);
    phones = (await listAll(api)).map(({ id }) => id);
  });
  afterAll(() => opened.disposeAsync());

  const hold = async (): Promise<Session> => {
    const phone = await freeDevice(api);
    const session = succeeded(await api.post<Session>(`/devices/${phone.id}/connect`, { duration: 9 }));
    seen.connected(session);
    return connected(api, session);
  };
  const release = async ({ session_id }: Session) =>
    seen.disconnected(succeeded(await api.post<Session>(`/sessions/${session_id}/disconnect`)));
  const read = async ({ session_id }: Session) =>
    succeeded(await api.get<Session>(`/sessions/${session_id}`));
  const others = ({ device_id }: Session) =>
    new Borrowers({ apis: [api], deviceIds: phones.filter((id) => id !== device_id), seen, seed: 1 });
  const report = (what: string, since: number) =>
    process.stdout.write(`fleet-network: ${what} after ${Math.round(performance.now() - since)} ms\n`);

  test(`a network outage of ${OUTAGE_SECONDS} s ends no session`, async () => {
    const session = await hold();
    await using load = others(session);
    await using viewer = await Viewer.open(session.stream_url, trust);
    await using controller = await Controller.ready(session.control_url, trust);
    await viewer.firstFrame();
    const shown = await viewer.still();
    await network.cut();
    await delay(OUTAGE_SECONDS * 1_000);
    await network.reconnect();
    const since = performance.now();
    await until('a command to be executed', async () => {
      const { error } = await controller.request('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 100 });
      return !error;
    });
    await viewer.movedSince(shown);
    report('control and a frame again', since);
    expect((await read(session)).status).toBe('connected');
    await release(session);
    await load.stop();
    await intact({ api, seen, phones: 2 }, processes);
  });

  test('the phones of a disconnected host are offline within 12 s, and back soon after', async () => {
    const session = await hold();
    await using load = others(session);
    await using viewer = await Viewer.open(session.stream_url, trust);
    await using controller = await Controller.ready(session.control_url, trust);
    await viewer.firstFrame();
    const since = performance.now();
    await network.cut();
    const offline = async () => (await listAll(api)).length === 0;
    await until('the phones to be offline', offline, { deadlineMs: promised(12_000) });
    report('phones of a cut host offline', since);
    expect(await read(session)).toMatchObject({ end_reason: 'host_lost', minutes_charged: 1 });
    for (const { closed } of [viewer, controller]) {
      expect((await within('the sockets to close', closed)).code).toBe(4004);
    }
    await network.reconnect();
    const reconnected = performance.now();
    await available(api, 2);
    report('phones of a mended host available', reconnected);
    await load.stop();
    await intact({ api, seen, phones: 2 }, processes);
  });

  test('the clients of a gateway that the host cannot reach wait, and its log reports this', async () => {
    const session = await hold();
    await using viewer = await Viewer.open(session.stream_url, trust);
    await viewer.firstFrame();
    await using waiting = await Viewer.open(at(unreachable.stream, session.stream_url), trust);
    await using controller = await Controller.open(at(unreachable.control, session.control_url), trust);
    expect((await controller.request('key', { key: 'HOME' })).error).toMatchObject({ code: -32003 });
    for (const gateway of [unreachable.control, unreachable.stream]) {
      const says = () => gateway.output().includes('session has no link from its host');
      await until('the gateway to log it', says);
      expect(gateway.output()).toContain(gateway.env.PHONEBOOTH_INGEST_URL);
    }
    // No other client is affected, and the waiting client learns how the session ended.
    expect((await read(session)).status).toBe('connected');
    expect(waiting.packets).toEqual([]);
    expect(waiting.socket.readyState).toBe(1);
    await release(session);
    for (const { closed } of [viewer, waiting, controller]) {
      expect((await within('the sockets to close', closed)).code).toBe(1000);
    }
    await intact({ api, seen, phones: 2 }, processes);
  });
}

/** Accepts connections and never sends anything. */
class Blackhole implements AsyncDisposable {
  readonly port: number;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.server = server;
    this.port = port;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {}).once('close', () => this.sockets.delete(socket));
    });
  }

  static async listen(host: string): Promise<Blackhole> {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    return new Blackhole(server, (server.address() as { port: number }).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

const absence = whyNoFarNetwork();
if (absence === null) describe('a host in another network', testAcrossNetworks);
else
  test('a host in another network', () => {
    throw new Error(`This test cannot run here: ${absence}.`);
  });
