import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PhoneAdb } from '../../drivers/driver.ts';
import { AdbDaemon, MAX_STREAMS } from './adb-daemon.ts';
import {
  type AdbMessage,
  AdbMessageReader,
  AdbProtocolError,
  CLSE,
  CNXN,
  encodeMessage,
  MAX_PAYLOAD,
  OKAY,
  OPEN,
  VERSION,
  WRTE,
} from './adb-message.ts';

const NAMES = new Map([
  [CNXN, 'CNXN'],
  [OPEN, 'OPEN'],
  [OKAY, 'OKAY'],
  [WRTE, 'WRTE'],
  [CLSE, 'CLSE'],
]);

/** The phone's end of a stream. It accepts written data when a test permits it, and sends what a test specifies. */
class PhoneStream extends Duplex {
  readonly written: Buffer[] = [];
  /** Callback of the write that is held back; calling it completes the write. */
  taken: (() => void) | null = null;
  holds = false;

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    if (this.holds) this.taken = done;
    else done();
  }
}

class PhoneDouble implements PhoneAdb {
  readonly banner = 'device::features=shell_v2';
  readonly asked: string[] = [];
  readonly streams: PhoneStream[] = [];
  callBack: (target: string, stream: Duplex) => void = () => {};
  /** Opening a service waits for this promise. */
  gate: Promise<void> = Promise.resolve();

  async open(service: string): Promise<Duplex> {
    this.asked.push(service);
    await this.gate;
    if (service === 'none') throw new Error('closed');
    const stream = new PhoneStream();
    this.streams.push(stream);
    return stream;
  }
  onConnection(listener: (target: string, stream: Duplex) => void): void {
    this.callBack = listener;
  }
  async [Symbol.asyncDispose](): Promise<void> {}
}

let phone: PhoneDouble;
let daemon: AdbDaemon;
let sent: AdbMessage[];

beforeEach(() => {
  phone = new PhoneDouble();
  sent = [];
  const reader = new AdbMessageReader();
  daemon = new AdbDaemon({ phone, send: (bytes) => void sent.push(...reader.push(bytes)) });
});

const bytes = (command: number, arg0: number, arg1: number, payload = '') =>
  encodeMessage({ command, arg0, arg1, payload: Buffer.from(payload) }, VERSION);
const sendCommand = (...message: Parameters<typeof bytes>) => daemon.take(bytes(...message));
/** Returns everything that was sent since the last call, once no more messages arrive. */
async function answers(): Promise<string[]> {
  for (let n = 0; n < 10; n++) await turn();
  return sent
    .splice(0)
    .map(({ command, arg0, arg1, payload }) => `${NAMES.get(command)} ${arg0} ${arg1} ${payload}`.trim());
}
async function online(): Promise<void> {
  sendCommand(CNXN, VERSION, 1024 * 1024, 'host::features=shell_v2');
  await answers();
}

test('answers CNXN without AUTH and announces its maximum payload', async () => {
  sendCommand(CNXN, VERSION, 1024 * 1024, 'host::');
  expect(await answers()).toEqual([`CNXN ${VERSION} ${MAX_PAYLOAD} device::features=shell_v2`]);
});

describe('connected', () => {
  beforeEach(online);

  test('opens a stream, transfers data in both directions and closes it', async () => {
    sendCommand(OPEN, 7, 0, 'shell:ls\0');
    expect(await answers()).toEqual(['OKAY 1 7']);
    expect(phone.asked).toEqual(['shell:ls']);
    sendCommand(WRTE, 7, 1, 'hello');
    expect(await answers()).toEqual(['OKAY 1 7']);
    expect(Buffer.concat(phone.streams[0]!.written).toString()).toBe('hello');
    phone.streams[0]!.push('one');
    expect(await answers()).toEqual(['WRTE 1 7 one']);
    phone.streams[0]!.push('two');
    phone.streams[0]!.push(null);
    expect(await answers()).toEqual([]);
    sendCommand(OKAY, 7, 1);
    expect(await answers()).toEqual(['WRTE 1 7 two']);
    sendCommand(OKAY, 7, 1);
    expect(await answers()).toEqual(['CLSE 1 7']);
    expect(daemon.streams).toBe(0);
  });

  test('refuses a service that the phone does not have', async () => {
    sendCommand(OPEN, 7, 0, 'none\0');
    expect(await answers()).toEqual(['CLSE 0 7']);
    expect(daemon.streams).toBe(0);
  });

  test('delivers data written before a close to the phone', async () => {
    sendCommand(OPEN, 7, 0, 'exec:\0');
    await answers();
    const stream = phone.streams[0]!;
    stream.holds = true;
    sendCommand(WRTE, 7, 1, 'last words');
    sendCommand(CLSE, 7, 1);
    expect(stream.destroyed).toBe(false);
    stream.taken!();
    expect(await answers()).toEqual(['OKAY 1 7']);
    expect(stream.written.toString()).toBe('last words');
    stream.push(null);
    await answers();
    expect(daemon.streams).toBe(0);
  });

  test('acknowledges one write ahead of the phone, and fails on a write sent before its acknowledgement', async () => {
    sendCommand(OPEN, 7, 0, 'exec:\0');
    await answers();
    const stream = phone.streams[0]!;
    stream.holds = true;
    const full = 'x'.repeat(MAX_PAYLOAD);
    sendCommand(WRTE, 7, 1, full);
    expect(await answers()).toEqual(['OKAY 1 7']);
    sendCommand(WRTE, 7, 1, full);
    expect(await answers()).toEqual([]);
    stream.taken!();
    expect(await answers()).toEqual(['OKAY 1 7']);
    sendCommand(WRTE, 7, 1, 'one');
    expect(await answers()).toEqual([]);
    expect(() => sendCommand(WRTE, 7, 1, 'two')).toThrow(AdbProtocolError);
  });

  test('splits the phone’s output at the peer’s maximum payload', async () => {
    sendCommand(OPEN, 7, 0, 'exec:\0');
    await answers();
    phone.streams[0]!.push(Buffer.alloc(MAX_PAYLOAD + 1));
    expect((await answers()).map((text) => text.length)).toEqual(['WRTE 1 7 '.length + MAX_PAYLOAD]);
  });

  test('cleans up a stream that is closed while the phone is still opening it', async () => {
    const gate = Promise.withResolvers<void>();
    phone.gate = gate.promise;
    sendCommand(OPEN, 7, 0, 'shell:\0');
    sendCommand(CLSE, 7, 0);
    gate.resolve();
    expect(await answers()).toEqual([]);
    expect(phone.streams[0]!.destroyed).toBe(true);
    expect(daemon.streams).toBe(0);
  });

  test('sends an OPEN for a connection from the phone', async () => {
    const back = new PhoneStream();
    phone.callBack('tcp:8081', back);
    back.push('GET /');
    expect(await answers()).toEqual(['OPEN 1 0 tcp:8081\0'.trim()]);
    sendCommand(OKAY, 9, 1);
    expect(await answers()).toEqual(['WRTE 1 9 GET /']);
    sendCommand(CLSE, 9, 1);
    back.push(null);
    await answers();
    expect(daemon.streams).toBe(0);
  });

  test('limits the number of open streams, and the number of opens that are pending on the phone', async () => {
    const gate = Promise.withResolvers<void>();
    phone.gate = gate.promise;
    for (let id = 1; id <= MAX_STREAMS + 5; id++) sendCommand(OPEN, id, 0, 'shell:\0');
    expect(await answers()).toEqual([1, 2, 3, 4, 5].map((n) => `CLSE 0 ${MAX_STREAMS + n}`));
    expect(phone.asked.length).toBe(8);
    gate.resolve();
    expect((await answers()).length).toBe(MAX_STREAMS);
    expect(phone.asked.length).toBe(MAX_STREAMS);
  });

  test('bounds its queue when a client repeatedly opens and closes streams', async () => {
    phone.gate = new Promise(() => {});
    for (let id = 1; id <= 3 * MAX_STREAMS; id++) {
      sendCommand(OPEN, id, 0, 'shell:\0');
      sendCommand(CLSE, id, 0);
    }
    expect((await answers()).length).toBeGreaterThan(MAX_STREAMS);
  });

  test('destroys every stream on close', async () => {
    for (const id of [1, 2, 3]) sendCommand(OPEN, id, 0, 'shell:\0');
    await answers();
    daemon.close();
    expect(phone.streams.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    sendCommand(OPEN, 4, 0, 'shell:\0');
    expect(await answers()).toEqual([]);
  });
});

test.each([
  ['an OPEN before CNXN', bytes(OPEN, 1, 0, 'shell:\0')],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')],
  ['a payload larger than negotiated', Buffer.from(bytes(CNXN, VERSION, 4096)).fill(0xff, 12, 16)],
  ['a wrong magic number', Buffer.from(bytes(CNXN, VERSION, 4096)).fill(0, 20, 24)],
  ['an unsupported version', bytes(CNXN, 1, 4096)],
  ['a maximum payload that is too small', bytes(CNXN, VERSION, 16)],
])('ends the connection on %s', (_, message) => {
  expect(() => daemon.take(message)).toThrow(AdbProtocolError);
});

test('verifies the checksums of an older adb server', async () => {
  sendCommand(CNXN, 0x0100_0000, 4096);
  const good = encodeMessage(
    { command: OPEN, arg0: 1, arg1: 0, payload: Buffer.from('shell:\0') },
    0x0100_0000,
  );
  daemon.take(good);
  expect(sent[0]).toMatchObject({ command: CNXN, arg0: 0x0100_0000 });
  good[24]! ^= 1;
  expect(() => daemon.take(good)).toThrow('does not match its checksum');
});

test('answers arbitrary input in chunks of any size with at most a protocol error, and bounds its streams', async () => {
  const message = fc.record({
    command: fc.constantFrom(CNXN, OPEN, OKAY, WRTE, CLSE, 0x12345678),
    arg0: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(0xffff_ffff)),
    arg1: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(VERSION)),
    payload: fc.uint8Array({ maxLength: 40 }),
    flip: fc.option(fc.nat(23), { freq: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      async (all, size) => {
        phone = new PhoneDouble();
        daemon = new AdbDaemon({ phone, send: () => {} });
        const stream = Buffer.concat([
          bytes(CNXN, VERSION, 65_536),
          ...all.map(({ command, arg0, arg1, payload, flip }) => {
            const encoded = encodeMessage({ command, arg0, arg1, payload: Buffer.from(payload) }, VERSION);
            if (flip !== null) encoded[flip]! ^= 0x41;
            return encoded;
          }),
        ]);
        try {
          for (let at = 0; at < stream.length; at += size) {
            daemon.take(stream.subarray(at, at + size));
            await turn();
          }
        } catch (error) {
          expect(error).toBeInstanceOf(AdbProtocolError);
        }
        expect(daemon.streams).toBeLessThanOrEqual(40);
        daemon.close();
        await turn();
        expect(phone.streams.every(({ destroyed }) => destroyed)).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});
