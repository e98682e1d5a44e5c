import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { CNXN, encodeMessage, OKAY, OPEN, VERSION, WRTE } from '../../src/agent/adb/adb-message.ts';
import type { Session } from '../black-box/kit/api.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { openSocket } from '../black-box/kit/socket.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { randomFrom } from '../fixtures/random.ts';
import { wordsOf } from '../fuzz/engine/dictionary.ts';
import { Mutator } from '../fuzz/engine/mutator.ts';
import { CALLS, SCRCPY_MESSAGES } from '../fuzz/kit/control-samples.ts';
import { isNightly } from '../nightly.ts';
import { AdbRig, openAdbSocket } from './adb-rig.ts';

const CONTROL_MESSAGES = isNightly ? 1_500 : 400;
/** Number of messages sent at once. The gateway accepts 500 per second and rejects messages above that rate. */
const BURST = 25;
const BURST_MS = 50;
const STREAM_SOCKETS = isNightly ? 60 : 20;
const ADB_SOCKETS = isNightly ? 60 : 20;
const MAX_BYTES = 2_048;
const RESET_VIDEO = Buffer.of(17);

/** Close codes for a client that violates the protocol (docs/sockets.md). 1005 is a close frame without a code. */
const CLOSED_BY_RULE = [1005, 1007, 1008, 1009];
/**
 * The phone's host validates adb messages. The gateway only observes that the host closes the link after a violation.
 */
const CLOSED_ON_OVERLOAD = 1012;
const INTERNAL = -32603;

/** PHONEBOOTH_FUZZ_SEED reproduces a run. */
const SEED = Number(process.env.PHONEBOOTH_FUZZ_SEED ?? Date.now() % 2 ** 32);
const mutator = new Mutator(randomFrom(SEED), MAX_BYTES);
const TEXTS = CALLS.map((call) => Buffer.from(JSON.stringify(call)));

let rig: AdbRig;
beforeAll(async () => {
  const contract = ['control-methods', 'android-keys'].map((name) => `src/contract/sockets/${name}.ts`);
  mutator.words = wordsOf(contract.map((path) => pathToFileURL(path).href));
  rig = await AdbRig.start();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe.each(['sim', 'and'] as const)('almost valid messages to a phone (%s) in use:', (kind) => {
  let session: Session;
  let watcher: Viewer;
  let sent: Buffer[] = [];

  beforeAll(async () => {
    session = await rig.borrow(kind);
    watcher = await Viewer.open(session.stream_url, { ca: rig.ca });
    await watcher.firstFrame();
  });
  afterAll(async () => {
    await watcher?.[Symbol.asyncDispose]();
    if (session) await rig.endSession(session);
  });

  const send = (socket: { send(data: string | Buffer): void }, message: Buffer, isText: boolean) => {
    sent = [...sent, message].slice(-BURST);
    socket.send(isText ? message.toString() : message);
  };
  const reportLastMessage = () =>
    onTestFailed(() => {
      const last = sent.map((message) => message.toString('base64')).join('\n');
      throw new Error(`PHONEBOOTH_FUZZ_SEED=${SEED} reproduces this; last message:\n${last}`);
    });

  /** Asserts that control and video still work, and that the service logged no error. */
  async function expectServiceWorks(): Promise<void> {
    await using controller = await Controller.ready(session.control_url, { ca: rig.ca });
    // A busy machine may still be processing earlier messages and report an error, so this retries.
    await until(
      'the phone to accept input',
      async () => !(await controller.request('power', { on: true })).error,
      { everyMs: 200 },
    );
    await controller.call('tap', { x: 0.5, y: 0.5 });
    const before = watcher.messages.length;
    const moved = watcher.movedSince(before);
    // The gateway accepts one keyframe request per second from a viewer, and this viewer may have sent one less
    // than a second ago.
    const ask = () => watcher.socket.send(RESET_VIDEO);
    const asking = setInterval(ask, 1_100);
    ask();
    await moved.finally(() => clearInterval(asking));
    const failures = rig.service
      .output()
      .split('\n')
      .filter((line) => /"level":"?(50|60|error|fatal)/.test(line));
    expect(failures).toEqual([]);
  }

  test(`${CONTROL_MESSAGES} messages on the control socket`, { timeout: 120_000 }, async () => {
    reportLastMessage();
    let controller = await Controller.ready(session.control_url, { ca: rig.ca });
    try {
      for (let count = 0; count < CONTROL_MESSAGES; count += BURST) {
        for (let n = 0; n < BURST; n += 1) {
          const isText = mutator.below(2) === 0;
          send(controller.socket, mutator.mutate(isText ? TEXTS : SCRCPY_MESSAGES), isText);
          // A few valid messages prevent the gateway from closing the socket for invalid messages alone.
          if (n % 10 === 0) controller.send(CALLS.at(-1)!);
        }
        controller = await ensureConnected(controller);
      }
    } finally {
      await controller[Symbol.asyncDispose]();
    }
    await expectServiceWorks();
  });

  /**
   * Waits until all messages have been processed. If the gateway closed the socket because of them, opens another
   * one.
   */
  async function ensureConnected(controller: Controller): Promise<Controller> {
    const closed = await Promise.race([
      controller.closed,
      controller.request('session.ping').then(() => null),
    ]);
    const answers = controller.received.flat().map(({ error }) => error?.code);
    expect(answers).not.toContain(INTERNAL);
    controller.received.length = 0;
    if (!closed) {
      await new Promise((resolve) => setTimeout(resolve, BURST_MS));
      return controller;
    }
    expect(CLOSED_BY_RULE, `${closed.code} ${closed.reason}`).toContain(closed.code);
    return Controller.ready(session.control_url, { ca: rig.ca });
  }

  test(`messages on ${STREAM_SOCKETS} stream sockets`, { timeout: 120_000 }, async () => {
    reportLastMessage();
    for (let count = 0; count < STREAM_SOCKETS; count += 1) {
      const { socket, closed } = await openSocket(session.stream_url, { ca: rig.ca }, () => {});
      for (let n = 0; n < BURST; n += 1) send(socket, mutator.mutate([RESET_VIDEO]), mutator.below(4) === 0);
      socket.send('');
      const { code, reason } = await within('the stream to be closed', closed);
      expect(CLOSED_BY_RULE, `${code} ${reason}`).toContain(code);
    }
    await expectServiceWorks();
  });

  // Only a phone behind adb has adb sockets.
  if (kind === 'sim') return;
  test(`messages on ${ADB_SOCKETS} adb sockets`, { timeout: 120_000 }, async () => {
    reportLastMessage();
    for (let count = 0; count < ADB_SOCKETS; count += 1) {
      const { socket, closed } = await openAdbSocket(rig, session);
      for (let n = 0; n < BURST; n += 1) send(socket, mutator.mutate(ADB_MESSAGES), mutator.below(8) === 0);
      socket.close();
      const { code, reason } = await within('the tunnel to be closed', closed);
      expect([...CLOSED_BY_RULE, CLOSED_ON_OVERLOAD], `${code} ${reason}`).toContain(code);
    }
    await using tunnel = await rig.connect(session);
    await until(
      'adb',
      async () => (await rig.adb('-s', tunnel.address, 'shell', 'echo', 'on')).stdout === 'on\n',
    );
    await expectServiceWorks();
  });
});

const adb = (command: number, arg0: number, arg1: number, payload: string) =>
  encodeMessage({ command, arg0, arg1, payload: Buffer.from(payload) }, VERSION);
const HELLO = adb(CNXN, VERSION, 65_536, 'host::features=shell_v2');
const ADB_MESSAGES = [
  HELLO,
  Buffer.concat([HELLO, adb(OPEN, 1, 0, 'shell,v2,raw:echo\0'), adb(OKAY, 1, 1, '')]),
  Buffer.concat([HELLO, adb(OPEN, 2, 0, 'sync:\0'), adb(WRTE, 2, 1, 'STAT\x01\0\0\0/')]),
];
