import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyNoAdbd } from '../../scripts/fetch-adbd.mjs';
import { AdbDaemon } from '../../src/agent/adb/adb-daemon.ts';
import { AdbDevice } from '../../src/drivers/android/adb/adb-device.ts';
import { openAdbSocket, readText } from '../../src/drivers/android/adb/adb-socket.ts';
import { parseDeviceList } from '../../src/drivers/android/adb/device-tracker.ts';
import { AndroidAdb } from '../../src/drivers/android/tunnel/android-adb.ts';
import { Developer } from '../e2e/developer.ts';
import { AdbdSandbox } from '../fixtures/adbd-sandbox.ts';
import { eventually } from './android-rig.ts';

const SERIAL = '127.0.0.1:5555';
const MIB = 1024 * 1024;
const signal = () => AbortSignal.timeout(60_000);

/**
 * Tests a tunnel without the service: a developer's adb on one side, and on the other Debian's adbd, which is built
 * from Android's own sources.
 */
function testWithAdbd(): void {
  let sandbox: AdbdSandbox;
  let developer: Developer;
  let server: Server;
  let address: string;
  const sockets = new Set<Socket>();
  const adb = (...args: string[]) => developer.adb('-s', address, ...args);

  const ask = async (service: string) => {
    const socket = await openAdbSocket(sandbox.address, [service], signal());
    return readText(socket).finally(() => socket.destroy());
  };
  const transport = async () => {
    await ask(`host:connect:${SERIAL}`);
    const found = parseDeviceList(await ask('host:devices-l')).find(({ serial }) => serial === SERIAL);
    return found?.state === 'device' && found.transport;
  };
  const carry = async (device: AdbDevice, socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.pause();
    const phone = await AndroidAdb.open(device, signal());
    const daemon = new AdbDaemon({ phone, send: (bytes) => void socket.write(bytes) });
    socket.on('data', (bytes: Buffer) => daemon.take(bytes));
    socket.once('close', () => {
      daemon.close();
      void phone[Symbol.asyncDispose]();
    });
    socket.resume();
  };

  beforeAll(async () => {
    sandbox = await AdbdSandbox.start();
    developer = await Developer.start();
    const device = new AdbDevice(sandbox.address, SERIAL);
    device.update('device', await eventually('adbd to respond', transport));
    server = createServer({ noDelay: true }, (socket) => void carry(device, socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${(server.address() as { port: number }).port}`;
    await developer.connect({ address });
  });
  afterAll(async () => {
    await developer?.[Symbol.asyncDispose]();
    for (const socket of sockets) socket.destroy();
    server?.close();
    await sandbox?.[Symbol.asyncDispose]();
  });

  test('commands have an input, two outputs and an exit code', async () => {
    expect(await adb('shell', 'echo one; echo two >&2; exit 9')).toEqual({
      code: 9,
      stdout: 'one\n',
      stderr: 'two\n',
    });
    const { stdout } = await adb('exec-out', `head -c ${4 * MIB} /dev/zero | sha256sum`);
    expect(stdout).toContain(
      createHash('sha256')
        .update(Buffer.alloc(4 * MIB))
        .digest('hex'),
    );
  });

  test('transfers several files of several MB at once in both directions', async () => {
    const bytes = randomBytes(4 * MIB + 7);
    const there = join(sandbox.folder, 'there');
    await writeFile(there, bytes);
    const rounds = [1, 2, 3].map(async (n) => {
      const [on, back] = [join(sandbox.folder, `on-${n}`), join(sandbox.folder, `back-${n}`)];
      expect(await adb('push', there, on)).toMatchObject({ code: 0 });
      expect(await adb('pull', on, back)).toMatchObject({ code: 0 });
      expect((await readFile(back)).equals(bytes)).toBe(true);
    });
    await Promise.all(rounds);
  });

  test('creates, lists and removes a reverse tunnel', async () => {
    expect(await adb('reverse', 'localabstract:metro', 'tcp:8081')).toMatchObject({ code: 0, stderr: '' });
    expect((await adb('reverse', '--list')).stdout.trim()).toBe('(reverse) localabstract:metro tcp:8081');
    expect(await adb('reverse', '--no-rebind', 'localabstract:metro', 'tcp:1')).toMatchObject({ code: 1 });
    expect(await adb('reverse', '--remove-all')).toMatchObject({ code: 0 });
    expect((await adb('reverse', '--list')).stdout.trim()).toBe('');
  });

  test('reports a port that the phone chooses', async () => {
    expect((await adb('reverse', 'tcp:0', 'tcp:8081')).stdout).toMatch(/^\d+\n$/);
    expect((await adb('reverse', '--list')).stdout.trim()).toMatch(/^\(reverse\) tcp:[1-9]\d* tcp:8081$/);
    await adb('reverse', '--remove-all');
  });

  test('rejects services that would affect the daemon itself', async () => {
    const { stdout, stderr } = await adb('tcpip', '5556');
    expect(stdout + stderr).toContain('is not allowed on a borrowed phone');
    expect((await adb('shell', 'echo', 'still here')).stdout).toBe('still here\n');
  });
}

const absence = whyNoAdbd();
if (absence === null) describe("a tunnel to Debian's adbd", testWithAdbd);
else
  test("a tunnel to Debian's adbd", () => {
    throw new Error(`This test cannot run here: ${absence}.`);
  });
