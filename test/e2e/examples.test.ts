import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { until } from '../black-box/kit/wait.ts';
import { ROOT } from '../deploy/deployment.ts';
import { type Service, startService } from '../fixtures/service.ts';

const DEADLINE_MS = 120_000;

let service: Service;
let api: PhoneboothClient;
let folder: string;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-examples-'));
  api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const EXAMPLES = [
  ['curl.sh', () => ['bash', 'examples/curl.sh']],
  ['typescript.ts', () => [process.execPath, 'examples/typescript.ts']],
  ['webdriver.ts', () => [process.execPath, 'examples/webdriver.ts']],
  [
    'python/stream_to_picture.py',
    () => [findPython(), 'examples/python/stream_to_picture.py', '--ca', service.caFile],
  ],
] as const;

test.each(EXAMPLES)('%s saves an image of a phone and ends the session', async (name, words) => {
  const phone = await freePhone();
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.png`);
  const { code, output } = await run([...words(), file]);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(file) });
  expect(await sizeOf(file)).toEqual(await videoSize(phone));
  const { items } = await api.listSessions({ page_size: 1 });
  expect(items[0]).toMatchObject({ device_id: phone, status: 'disconnected', end_reason: 'client' });
});

test.each([EXAMPLES[0], EXAMPLES[3]])('%s reports that no phone is available and fails', async (_, words) => {
  const session = await api.connect(await freePhone(), { duration: 5 });
  try {
    const { code, output } = await run([...words(), join(folder, 'none.png')]);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/no phone is available/i) });
  } finally {
    await api.disconnect(session.session_id);
  }
});

test('curl.sh ends the session when it is interrupted', async () => {
  await freePhone();
  // Nothing reads the pipe until the program receives the signal, so the program cannot have finished by then.
  const pipe = join(folder, 'stopped.png');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  const child = start(['bash', 'examples/curl.sh', pipe]);
  const exit = once(child, 'exit');
  await until('the example to know its session', () => child.printed().includes('Borrowed'));
  child.kill('SIGTERM');
  const reader = new Socket({ fd: openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK) }).resume();
  expect(await exit, 'it was interrupted too late').not.toEqual([0, null]);
  reader.destroy();
  await until(
    'the phone to be available again',
    async () => (await api.listSessions({ page_size: 1 })).items[0]?.status === 'disconnected',
  );
});

const freePhone = () =>
  until('an available phone', async () => (await api.listDevices({ status: 'available' })).items[0]?.id);

/** The size that the phone itself reports, read in a separate session. */
async function videoSize(deviceId: string): Promise<{ width: number; height: number }> {
  await freePhone();
  const { session_id } = await api.connect(deviceId, { duration: 1 });
  await until('the session to appear', async () => (await api.getSession(session_id)).status === 'connected');
  const png = Buffer.from(await (await api.screenshot(session_id)).arrayBuffer());
  await api.disconnect(session_id);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** Size of the image, which ffmpeg must be able to decode. */
async function sizeOf(file: string): Promise<{ width: number; height: number }> {
  const decode = spawnSync(
    'ffmpeg',
    ['-loglevel', 'error', '-i', file, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
    {
      maxBuffer: 64 * 1024 * 1024,
      timeout: DEADLINE_MS,
    },
  );
  expect(decode.error, 'this test needs ffmpeg').toBeUndefined();
  const png = await readFile(file);
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  expect(decode.stdout.length).toBe(width * height * 3);
  return { width, height };
}

function start(words: string[]): ChildProcess & { printed(): string } {
  const [program, ...rest] = words;
  const child = spawn(program!, rest, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PHONEBOOTH_URL: service.httpOrigin,
      PHONEBOOTH_API_KEY: service.key,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return Object.assign(child, { printed: () => text });
}

async function run(words: string[]): Promise<{ code: number | null; output: string }> {
  const child = start(words);
  await once(child, 'close');
  return { code: child.exitCode, output: child.printed() };
}

/** The first Python on the PATH may not be Debian's and may lack Debian's packages. */
function findPython(): string {
  const found = ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', 'import websockets'], { timeout: 30_000 }).status === 0,
  );
  if (!found)
    throw new Error('This test needs Python with websockets (Debian: apt install python3-websockets).');
  return found;
}
