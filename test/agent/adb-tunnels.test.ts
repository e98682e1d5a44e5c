import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CNXN, encodeMessage, OPEN, VERSION } from '../../src/agent/adb/adb-message.ts';
import { AdbTunnels } from '../../src/agent/adb/adb-tunnels.ts';
import { MAX_ADB_TUNNELS } from '../../src/contract/http/session.ts';
import type { PhoneAdb } from '../../src/drivers/driver.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link, LinkListener } from '../../src/link/link.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import { until } from '../gateway/client.ts';

const HELLO = { sessionId: 's1', epoch: 1, purpose: 'adb', ticket: 't' } as const;
const bytes = (command: number, arg0: number, arg1: number, payload = '') =>
  encodeMessage({ command, arg0, arg1, payload: Buffer.from(payload) }, VERSION);

class PhoneDouble implements PhoneAdb {
  readonly banner = 'device::';
  readonly streams: Duplex[] = [];
  isReleased = false;
  /** Error that the connection throws when it is closed, or null. */
  complaint: Error | null = null;

  async open(): Promise<Duplex> {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    this.streams.push(stream);
    return stream;
  }
  onConnection(): void {}
  async [Symbol.asyncDispose](): Promise<void> {
    this.isReleased = true;
    if (this.complaint) throw this.complaint;
  }
}

let links: InProcessLinks;
let listener: LinkListener;
let desk: AdbTunnels;
let emptied: number;
let clock = 0;
let pauses: PauseWatch;
let doubts: number;
/** The gateways' ends of the links. */
let gateways: Link[];

beforeEach(() => {
  links = new InProcessLinks();
  listener = links.listen('adb');
  gateways = [];
  emptied = 0;
  pauses = new PauseWatch([() => clock]);
  doubts = 0;
  listener.accept(
    () => true,
    (link) => gateways.push(link),
  );
  const onEmpty = () => {
    emptied += 1;
  };
  const onDoubt = () => {
    doubts += 1;
  };
  desk = new AdbTunnels({ log: silentLog, pauses, onEmpty, onDoubt });
});
afterEach(() => {
  pauses[Symbol.dispose]();
  return listener[Symbol.asyncDispose]();
});

async function attach(phone = new PhoneDouble()): Promise<{ phone: PhoneDouble; gateway: Link }> {
  desk.attach(await links.dial(listener.ingest, HELLO), phone);
  return { phone, gateway: gateways.at(-1)! };
}

async function withStream(): Promise<{ phone: PhoneDouble; gateway: Link }> {
  const tunnel = await attach();
  tunnel.gateway.send(bytes(CNXN, VERSION, 65_536));
  tunnel.gateway.send(bytes(OPEN, 1, 0, 'shell:\0'));
  await until(() => expect(tunnel.phone.streams).toHaveLength(1));
  return tunnel;
}

test('closes every stream of every tunnel at the end of the lease, and waits for the phone', async () => {
  const [one, two] = [await withStream(), await withStream()];
  two.phone.complaint = new Error('the phone is disconnected');
  expect(desk.count).toBe(2);
  await desk.close();
  for (const { phone, gateway } of [one, two]) {
    expect(phone.streams[0]!.destroyed).toBe(true);
    expect(phone.isReleased).toBe(true);
    await until(() => expect(gateway.closed).toBe(true));
  }
  expect({ count: desk.count, emptied }).toEqual({ count: 0, emptied: 1 });
});

test('closes the tunnel of a gateway that disconnects, and no other', async () => {
  const [one, two] = [await withStream(), await withStream()];
  one.gateway.close();
  await until(() => expect(one.phone.isReleased).toBe(true));
  expect(two.phone.isReleased).toBe(false);
  expect({ count: desk.count, emptied }).toEqual({ count: 1, emptied: 0 });
});

test('closes the tunnel of a client that violates the adb protocol', async () => {
  const { phone, gateway } = await withStream();
  gateway.send(Buffer.from('GET / HTTP/1.1\r\nHost: phone\r\n\r\n'));
  await until(() => expect(gateway.closed).toBe(true));
  expect(phone.streams[0]!.destroyed).toBe(true);
});

test('forwards messages that it finds after a host pause once the session is confirmed, or closes the tunnel', async () => {
  const [confirmed, unconfirmed] = [await withStream(), await withStream()];
  clock += 30_000;
  confirmed.gateway.send(bytes(OPEN, 2, 0, 'shell:ls\0'));
  await until(() => expect(doubts).toBe(1));
  expect(confirmed.phone.streams).toHaveLength(1);
  pauses.beginConfirmation()();
  await until(() => expect(confirmed.phone.streams).toHaveLength(2));

  clock += 30_000;
  unconfirmed.gateway.send(bytes(OPEN, 2, 0, 'shell:rm\0'));
  await until(() => expect(unconfirmed.gateway.closed).toBe(true));
  expect(unconfirmed.phone.streams).toHaveLength(1);
});

test('limits the tunnels of a session across all gateways', async () => {
  for (let n = 0; n < MAX_ADB_TUNNELS; n++) await attach();
  const { phone, gateway } = await attach();
  await until(() => expect(gateway.closed).toBe(true));
  expect(phone.isReleased).toBe(true);
  expect(desk.count).toBe(MAX_ADB_TUNNELS);
});
