import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import {
  type AdbMessage,
  AdbMessageReader,
  CLSE,
  CNXN,
  encodeMessage,
  OKAY,
  OPEN,
  VERSION,
  WRTE,
} from '../../src/agent/adb/adb-message.ts';
import type { Session } from '../black-box/kit/api.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { type Closed, refusedUpgrade } from '../black-box/kit/socket.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { promised } from '../nightly.ts';
import { AdbRig, openAdbSocket } from './adb-rig.ts';
import type { Tunnel } from './developer.ts';

const FILE = '/data/local/tmp/large';
const FILE_BYTES = 1024 * 1024;

/** A client that has the address and ignores all rules of the protocol. */
class Intruder {
  readonly received: AdbMessage[];
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;

  private constructor(socket: WebSocket, closed: Promise<Closed>, received: AdbMessage[]) {
    this.received = received;
    this.socket = socket;
    this.closed = closed;
  }

  static async online(rig: AdbRig, session: Session): Promise<Intruder> {
    const reader = new AdbMessageReader();
    const received: AdbMessage[] = [];
    const { socket, closed } = await openAdbSocket(rig, session, (data) => {
      received.push(...reader.push(data));
    });
    const intruder = new Intruder(socket, closed, received);
    intruder.say(CNXN, VERSION, 1024 * 1024, 'host::features=shell_v2');
    await until('the phone to respond', () => received.some(({ command }) => command === CNXN));
    return intruder;
  }

  say(command: number, arg0: number, arg1: number, payload: string | Buffer = ''): void {
    this.socket.send(
      encodeMessage({ command, arg0, arg1, payload: Buffer.from(payload as string) }, VERSION),
    );
  }

  count(wanted: number): number {
    return this.received.filter(({ command }) => command === wanted).length;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

let rig: AdbRig;
let session: Session;
let tunnel: Tunnel;
let controller: Controller;
let folder: string;
/** Number of streams on the phone when no hostile client is connected. */
let atRest: number;

beforeAll(async () => {
  rig = await AdbRig.start();
  session = await rig.borrow();
  tunnel = await rig.connect(session);
  controller = await Controller.ready(session.control_url, { ca: rig.ca });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-hostile-'));
  const file = join(folder, 'large');
  await writeFile(file, randomBytes(FILE_BYTES));
  await rig.adb('-s', tunnel.address, 'push', file, FILE);
});
afterAll(async () => {
  await controller?.[Symbol.asyncDispose]();
  await tunnel?.[Symbol.asyncDispose]();
  await rig?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  atRest = (await rig.phone.report()).streams;
});

const streams = async () => (await rig.phone.report()).streams;
const expectNothingLeft = () =>
  until('the phone to close the stream', async () => (await streams()) <= atRest);

/** Asserts that the session's control socket and its other tunnel still work. */
async function expectOthersWork(): Promise<void> {
  await within('a tap', controller.call('tap', { x: 0.5, y: 0.5 }), promised(10_000));
  const result = await within('adb', rig.adb('-s', tunnel.address, 'shell', 'echo', 'on'), promised(10_000));
  expect(result).toEqual({ code: 0, stdout: 'on\n', stderr: '' });
}

describe('access to the adb socket', () => {
  test.each(['stream_url', 'control_url'] as const)('is denied with a %s token', async (other) => {
    const token = new URL(session[other]).pathname.split('/')[2]!;
    const url = session.adb_url.replace(/\/adb\/[^/]+/, `/adb/${token}`);
    expect(await refusedUpgrade(url, { ca: rig.ca })).toMatchObject({ status: 401, body: { code: 40001 } });
  });

  test('is denied with a token that differs in one character', async () => {
    const url = session.adb_url.replace(/\/adb\/(.)/, (_, letter) => `/adb/${letter === 'A' ? 'B' : 'A'}`);
    expect(await refusedUpgrade(url, { ca: rig.ca })).toMatchObject({ status: 401 });
  });
});

describe('a hostile adb client does not affect others', () => {
  test.each([
    ['a second CNXN', (it: Intruder) => it.say(CNXN, VERSION, 65_536)],
    [
      'data that is not adb',
      (it: Intruder) => it.socket.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'.repeat(9))),
    ],
    ['text', (it: Intruder) => it.socket.send('hello')],
    ['a payload of 4 GB', (it: Intruder) => it.socket.send(Buffer.alloc(24, 0xff))],
    ['an unknown command', (it: Intruder) => it.say(0x4242_4242, 1, 1)],
  ])('%s ends the tunnel of the client that sends it', async (_, misbehave) => {
    using intruder = await Intruder.online(rig, session);
    misbehave(intruder);
    await within('the end of the tunnel', intruder.closed, promised(10_000));
    await expectOthersWork();
  });

  test('sending almost valid bytes a hundred times', async () => {
    for (let round = 0; round < 20; round++) {
      using intruder = await Intruder.online(rig, session);
      for (let n = 0; n < 5; n++) {
        const command = [OPEN, OKAY, WRTE, CLSE][(round + n) % 4]!;
        const message = { command, arg0: n, arg1: 1 + (n % 2), payload: Buffer.from('shell,v2,raw:echo\0') };
        const bytes = encodeMessage(message, VERSION);
        bytes[(round * 5 + n) % bytes.length]! ^= 1 << (round % 8);
        intruder.socket.send(bytes);
      }
    }
    await expectOthersWork();
    await expectNothingLeft();
  });

  test('writing to a stream without waiting for OKAY', async () => {
    using intruder = await Intruder.online(rig, session);
    intruder.say(OPEN, 1, 0, 'tcp:7101\0');
    await until('the stream to open', () => intruder.count(OKAY) === 1);
    const { arg0: id } = intruder.received.find(({ command }) => command === OKAY)!;
    const all = Array.from({ length: 400 }, () =>
      encodeMessage({ command: WRTE, arg0: 1, arg1: id, payload: randomBytes(64 * 1024) }, VERSION),
    );
    intruder.socket.send(Buffer.concat(all.slice(0, 40)));
    for (const bytes of all.slice(40)) intruder.socket.send(bytes);
    await within('the end of the tunnel', intruder.closed, promised(10_000));
    await expectOthersWork();
    // The number of streams is not checked here: an adb server keeps data that its phone has not accepted, even after
    // the client disconnects.
  });

  test('opening streams without end and not reading their output', async () => {
    const path = Buffer.from(FILE);
    const request = Buffer.concat([Buffer.from('RECV'), Buffer.from([path.length, 0, 0, 0]), path]);
    using intruder = await Intruder.online(rig, session);
    for (let id = 1; id <= 300; id++) intruder.say(OPEN, id, 0, 'sync:\0');
    await until('all opens to be answered', () => intruder.count(OKAY) + intruder.count(CLSE) === 300);
    expect(intruder.count(OKAY)).toBe(128);
    for (const { command, arg0, arg1 } of [...intruder.received])
      if (command === OKAY) intruder.say(WRTE, arg1, arg0, request);
    await until('every stream to send data', () => intruder.count(WRTE) >= 128);
    await expectOthersWork();
    // One WRTE for each stream, and no more before the client sends an OKAY.
    expect(intruder.count(WRTE)).toBe(128);
    intruder.socket.terminate();
    await expectNothingLeft();
  });

  test('requesting services of the host’s adb server', async () => {
    using intruder = await Intruder.online(rig, session);
    const services = ['host:kill', 'host:devices', 'host-serial:x:shell:ls', 'host:transport-any', ''];
    for (const [at, service] of services.entries()) intruder.say(OPEN, at + 1, 0, `${service}\0`);
    await until('all opens to be rejected', () => intruder.count(CLSE) === services.length);
    expect(intruder.count(OKAY)).toBe(0);
    expect(await rig.host.adb('devices')).toContain(rig.phone.address);
    await expectOthersWork();
  });
});
