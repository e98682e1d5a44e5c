import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyNoAdbd } from '../../scripts/fetch-adbd.mjs';
import { AdbDevice } from '../../src/drivers/android/adb/adb-device.ts';
import { openAdbSocket, readExactly, readText } from '../../src/drivers/android/adb/adb-socket.ts';
import { type TrackedDevice, trackDevices } from '../../src/drivers/android/adb/device-tracker.ts';
import { shellLine } from '../../src/drivers/android/adb/quote.ts';
import { shellEach } from '../../src/drivers/android/adb/shell-batch.ts';
import { listFolder, pullFile, statPath } from '../../src/drivers/android/adb/sync-files.ts';
import { installApks } from '../../src/drivers/android/install/install-apks.ts';
import { killSince, readBaseline } from '../../src/drivers/android/processes.ts';
import { silentLog } from '../../src/util/log.ts';
import { AdbdSandbox } from '../fixtures/adbd-sandbox.ts';
import { eventually } from './android-rig.ts';

const SERIAL = '127.0.0.1:5555';
const MIB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const signal = () => AbortSignal.timeout(60_000);

/**
 * Tests the protocol parts of the driver against Debian's adbd, which is built from Android's own sources. Everything
 * up to the shell is the same as on a phone; the shell itself is Debian's.
 */
function testWithAdbd(): void {
  let sandbox: AdbdSandbox;
  let device: AdbDevice;
  let seen: TrackedDevice[] | null = null;
  let tracking: Promise<void>;
  const stopping = new AbortController();

  const connect = async () => {
    const socket = await openAdbSocket(sandbox.address, [`host:connect:${SERIAL}`], signal());
    await readText(socket).finally(() => socket.destroy());
  };
  const isReady = () => seen?.find((it) => it.serial === SERIAL)?.state === 'device';
  const shell = async (line: string) => device.shell(line, { signal: signal() });

  beforeAll(async () => {
    sandbox = await AdbdSandbox.start();
    device = new AdbDevice(sandbox.address, SERIAL);
    tracking = trackDevices(
      {
        address: sandbox.address,
        log: silentLog,
        onDevices: (devices) => {
          seen = devices;
          const own = devices?.find((it) => it.serial === SERIAL);
          device.update(own?.state ?? 'gone', own?.transport ?? null);
        },
        reviveServer: async () => {},
      },
      stopping.signal,
    );
    await eventually('adbd to respond', async () => {
      if (!isReady()) await connect();
      return isReady();
    });
  });
  afterAll(async () => {
    stopping.abort();
    await tracking;
    await sandbox?.[Symbol.asyncDispose]();
  });

  test('is the only phone that the tracker lists', () => {
    expect(seen).toEqual([{ serial: SERIAL, state: 'device', transport: expect.any(BigInt) }]);
  });

  test.each([true, false])('lists, stats and pulls files, in version 2: %s', async (isV2) => {
    const folder = await mkdtemp(join(sandbox.folder, 'files-'));
    const content = randomBytes(3 * MIB + 17);
    const file = join(folder, 'é 1.bin');
    await device.push(file, content, signal());
    const open = () => device.open('sync:', signal());
    const socket = await open();
    try {
      expect((await statPath(socket, folder, isV2))!.mode & 0o170000).toBe(0o040000);
      expect(await statPath(socket, join(folder, 'none'), isV2)).toBeNull();
      const entries = await Array.fromAsync(listFolder(socket, folder, isV2));
      const facts = { mode: 0o100666, size: content.length, modified: expect.any(Number) };
      expect(entries).toEqual([{ name: 'é 1.bin', ...facts }]);
      expect(await statPath(socket, file, isV2)).toEqual(facts);
      expect(await Array.fromAsync(listFolder(socket, file, isV2))).toEqual([]);
      const pulled = Buffer.concat(await Array.fromAsync(pullFile(socket, file)));
      expect(sha256(pulled)).toBe(sha256(content));
    } finally {
      socket.destroy();
    }
    const failing = await open();
    await expect(Array.fromAsync(pullFile(failing, join(folder, 'none')))).rejects.toThrow('No such file');
    failing.destroy();
  });

  describe('shell v2', () => {
    test.each([0, 1, 7, 127, 255])('returns exit code %i', async (code) => {
      expect(await shell(`exit ${code}`)).toMatchObject({ exitCode: code });
    });

    test('separates the two outputs', async () => {
      const { stdout, stderr, exitCode } = await shell('echo one; echo two >&2; exit 3');
      expect({ stdout: stdout.toString(), stderr, exitCode }).toEqual({
        stdout: 'one\n',
        stderr: 'two\n',
        exitCode: 3,
      });
    });

    test('transfers many arbitrary bytes unchanged', async () => {
      const { stdout } = await shell(
        `head -c ${8 * MIB} /dev/zero | tr '\\0' '\\n'; printf '\\0\\r\\n\\377'`,
      );
      expect(stdout.length).toBe(8 * MIB + 4);
      expect(stdout.subarray(-4)).toEqual(Buffer.from([0, 13, 10, 255]));
      expect(sha256(stdout.subarray(0, -4))).toBe(sha256(Buffer.alloc(8 * MIB, '\n')));
    });

    test('passes each word to the program unchanged', async () => {
      const words = ["it's", 'a b', '$HOME', '`id`', '"', '\\', '*', '', 'é 👋', 'two\nlines', ';exit 9'];
      const { stdout } = await shell(shellLine('printf', '%s\\0', ...words));
      expect(stdout.toString().split('\0').slice(0, -1)).toEqual(words);
    });

    test('ends a command that takes too long, on the phone as well', async () => {
      const mark = `31${Math.floor(Math.random() * 1e6)}`;
      const asked = device.shell(`exec sleep ${mark}`, { signal: signal(), timeoutMs: 500 });
      await expect(asked).rejects.toThrow('did not finish exec sleep within 0.5 s');
      await eventually('the process to exit', async () => {
        const { stdout } = await shell(`pgrep -fx ${shellLine(`sleep ${mark}`)}`);
        return stdout.length === 0;
      });
    });

    test('runs commands in one shell and returns the result of each', async () => {
      const lines = ['echo one; echo two >&2', 'printf last', 'false', 'no-such-program', 'echo five'];
      const results = await shellEach(device, lines, { signal: signal() });
      expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 1, 127, 0]);
      expect(results.map(({ stdout }) => stdout.toString())).toEqual(['one\n', 'last', '', '', 'five\n']);
      expect(results.map(({ stderr }) => stderr.includes('no-such-program'))).toEqual([
        ...[false, false, false, true, false],
      ]);
      expect(results[0]!.stderr).toBe('two\n');
    });

    test('runs many commands concurrently', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => shell(`exit ${index}`)));
      expect(answers.map(({ exitCode }) => exitCode)).toEqual(answers.map((_, index) => index));
    });
  });

  test('kills all processes that the shell user has started since, however they were started', async () => {
    const before = await readBaseline(device, signal());
    // The code under test really kills processes, so the test must not run where a process of this machine has the
    // shell's UID.
    expect(before).toEqual([]);
    const asShell = 'setpriv --reuid=2000 --regid=2000 --clear-groups';
    const output = '</dev/null >/dev/null 2>&1';
    await shell(`${asShell} setsid sleep 7654321 ${output} & ${asShell} nohup sleep 7654321 ${output} &`);
    const running = async () => Number((await shell("pgrep -cfx 'sleep 7654321'")).stdout);
    await eventually('both processes to run', async () => (await running()) === 2);
    await killSince(device, before, signal());
    expect(await running()).toBe(0);
    expect(await readBaseline(device, signal())).toEqual([]);
  });

  describe('sync', () => {
    test.each([0, 1, 64 * 1024, 64 * 1024 + 1, 5 * MIB])('pushes a file of %i bytes', async (size) => {
      const content = randomBytes(size);
      const path = join(sandbox.folder, `pushed ${size}`);
      await device.push(path, content, signal());
      expect(sha256(await readFile(path))).toBe(sha256(content));
      // adbd gives group and others the owner's permissions (daemon/file_sync_service.cpp), whatever mode is
      // requested.
      expect((await stat(path)).mode & 0o777).toBe(0o666);
      // The opposite direction: the driver reads a file that a program on the phone wrote.
      const { stdout } = await shell(shellLine('cat', path));
      expect(stdout.equals(content)).toBe(true);
    });

    test('reports the phone’s error for an invalid path', async () => {
      await expect(device.push('/proc/nothing-here', Buffer.from('x'), signal())).rejects.toMatchObject({
        name: 'AdbError',
        message: expect.stringMatching(/^the phone rejected \/proc\/nothing-here: .+/),
      });
    });
  });

  test('rejects sockets by name without a listener, then transfers data in both directions completely and in order', async () => {
    const name = `phonebooth-${randomBytes(4).toString('hex')}`;
    await expect(device.open(`localabstract:${name}`, signal())).rejects.toThrow('closed');
    const echo = `require("net").createServer(s=>s.pipe(s)).listen("\\0${name}",()=>console.log("listens"))`;
    const printed: string[] = [];
    const listener = { onOutput: (data: Buffer) => void printed.push(data.toString()) };
    const line = `exec ${shellLine(process.execPath, '-e', echo)}`;
    const listening = await device.spawn(line, listener, signal());
    await eventually('the process to listen', () => printed.join('').includes('listens'));
    const socket = await device.open(`localabstract:${name}`, signal());
    const sent = randomBytes(8 * MIB);
    socket.write(sent);
    expect(sha256(await readExactly(socket, sent.length))).toBe(sha256(sent));
    listening.kill();
    // Killing the process closes its socket too, as with scrcpy's sockets.
    await eventually('the socket to close', () => {
      socket.read();
      return socket.destroyed || socket.readableEnded;
    });
    socket.destroy();
  });

  test('streams an app to the package manager and returns its answer', async () => {
    const bin = join(sandbox.folder, 'bin');
    const kept = join(sandbox.folder, 'base.kept');
    await mkdir(bin);
    // A stand-in for `cmd package …` with the package manager's output. It reads exactly as many bytes as the command
    // announces.
    const script = `#!/bin/sh
case "$2" in
  install-create) echo "Success: created install session [7]";;
  install-write) head -c "$4" > ${kept}; echo "Success: streamed $4 bytes";;
  install-commit) if [ -e ${kept}.refuse ]; then echo "Failure [INSTALL_FAILED_OLDER_SDK: too old]"; exit 1; fi; echo Success;;
  install-abandon) echo Success;;
esac
`;
    await writeFile(join(bin, 'cmd'), script);
    await chmod(join(bin, 'cmd'), 0o755);
    const apk = join(sandbox.folder, 'base.apk');
    const content = randomBytes(4 * MIB);
    await writeFile(apk, content);
    const counts: number[] = [];
    await installApks(device, [apk], {
      user: 0,
      sdk: 34,
      signal: signal(),
      onBytes: (count) => counts.push(count),
    });
    expect(sha256(await readFile(kept))).toBe(sha256(content));
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(content.length);
    await writeFile(`${kept}.refuse`, '');
    const refused = installApks(device, [apk], { user: 0, sdk: 34, signal: signal(), onBytes: () => {} });
    await expect(refused).rejects.toMatchObject({ message: 'INSTALL_FAILED_OLDER_SDK: too old' });
  });

  test('fails pending commands when adbd dies, starts no more, and recovers by itself', async () => {
    const running = device.shell('sleep 60', { signal: signal(), timeoutMs: 60_000 });
    const failed = expect(running).rejects.toThrow('the connection to the phone was lost during sleep 60');
    await eventually(
      'the process to run',
      async () => (await shell("pgrep -fx 'sleep 60'")).stdout.length > 0,
    );
    await sandbox.killAdbd();
    await failed;
    await eventually('the device to be reported as disconnected', () => device.state !== 'device');
    await expect(shell('true')).rejects.toThrow('the phone is not connected to adb');
    await sandbox.startAdbd();
    // The adb server retries by itself every ten seconds.
    await eventually('adbd to be back', () => device.state === 'device');
    expect(await shell('exit 4')).toMatchObject({ exitCode: 4 });
  });
}

const absence = whyNoAdbd();
if (absence === null) describe("Debian's adbd", testWithAdbd);
else
  test("Debian's adbd", () => {
    throw new Error(`This test cannot run here: ${absence}.`);
  });
