import { afterAll, beforeAll, expect, test } from 'vitest';
import { isServiceError, Phonebooth } from '../../src/client/index.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end, type Launched, launch, processEnv, ready } from '../fixtures/process.ts';
import { SmallDisk } from '../fixtures/small-disk.ts';

const KEY = 'pb_of-a-service-whose-disk-is-going-to-be-full';
const MEGABYTES = 24;

const opened = new AsyncDisposableStack();
let disk: SmallDisk;
let env: Record<string, string>;
let origin: string;
let service: Launched;
let phones: Phonebooth;

beforeAll(async () => {
  disk = opened.use(await SmallDisk.open(MEGABYTES));
  const [port, tlsPort] = [await freePort(), await freePort()];
  env = {
    ...processEnv(disk.folder),
    PHONEBOOTH_PORT: String(port),
    PHONEBOOTH_TLS_PORT: String(tlsPort),
    PHONEBOOTH_API_KEY: KEY,
    PHONEBOOTH_SIMULATED_PHONES: '2',
  };
  origin = `http://localhost:${port}`;
  phones = new Phonebooth({ url: origin, key: KEY });
  await start();
  opened.defer(() => end(service.child, 'SIGTERM'));
});
afterAll(() => opened.disposeAsync());

async function start(): Promise<void> {
  service = launch(['serve'], env, undefined, disk.through);
  await ready(service, origin);
}

const free = async () => (await phones.api.listDevices({ status: 'available' })).items[0];

test('a full disk rejects writes but serves reads, and the service recovers when there is space again', async () => {
  const inUse = (await until('an available phone', free)).id;
  const session = await phones.connect(inUse, { duration: 5 });
  await session.ready;
  const isConnected = async () => (await phones.api.getSession(session.id)).status === 'connected';
  // The `connected` status must be stored before the disk is full.
  await until('the full disk to be detected', isConnected);
  const other = await until('another available phone', free);
  await disk.fill();

  // Writes still succeed for a while, because they fit into pages that the write-ahead log already has.
  const refusal = await until('a write to be rejected', () => connectAndDisconnect(other.id));
  expect(refusal).toMatchObject({ status: 503, kind: 'unavailable' });
  expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
  expect(refusal.message).toContain('disk space');
  await expect(phones.borrow({ duration: 5 })).rejects.toMatchObject({ status: 503, kind: 'unavailable' });
  expect(await phones.api.getUsage()).toMatchObject({ sessions: { live: expect.any(Number) } });
  expect([...new Set(errorsLogged())]).toEqual(['the store has no disk space left']);
  expect((await phones.api.listDevices()).total).toBe(2);
  expect(await phones.api.getSession(session.id)).toMatchObject({ status: 'connected' });
  expect((await fetch(`${origin}/livez`)).status).toBe(200);
  await session.tap(0.5, 0.5);
  expect(Buffer.from(await session.screenshot()).toString('latin1', 1, 4)).toBe('PNG');

  await disk.empty();
  await until('the session to be ended', async () => (await connectAndDisconnect(other.id)) === null);
  const again = await until('a phone to be borrowed again', () =>
    phones.connect(other.id, { duration: 5 }).catch(() => null),
  );
  await again.disconnect();
  await session.disconnect();
  expect(await phones.api.getSession(session.id)).toMatchObject({ end_reason: 'client' });

  // Verifies that the database is intact: a backup checks its whole copy.
  const backup = launch(['backup', `${disk.folder}/copy`], env, undefined, disk.through);
  await until('the backup to finish', () => backup.isOver());
  expect({ code: backup.child.exitCode, said: backup.stdout() }).toMatchObject({
    code: 0,
    said: expect.stringContaining('Backed up to'),
  });
  await end(service.child, 'SIGKILL');
  await start();
  expect(await phones.api.getSession(again.id)).toMatchObject({
    status: 'disconnected',
    end_reason: 'client',
  });
});

/** Messages of the log lines with level error (50). */
const errorsLogged = () =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level >= 50)
    .map(({ msg }) => msg);

/** Session that was connected but could not be ended yet: the disk may become full between the two requests. */
let sessionId: string | null = null;

/** Connects and ends a session. Returns the service's error if it has no disk space, or null otherwise. */
async function connectAndDisconnect(deviceId: string) {
  try {
    sessionId ??= (await phones.api.connect(deviceId, { duration: 5 })).session_id;
    await phones.api.disconnect(sessionId);
    sessionId = null;
    return null;
  } catch (error) {
    if (isServiceError(error, 'deviceUnavailable')) return null;
    if (isServiceError(error, 'unavailable')) return error;
    throw error;
  }
}
