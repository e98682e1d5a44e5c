/** The part of a phone host that serves its viewers itself: the Android driver, the leases and the stream gateway. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LeaseRun } from '../../src/agent/lease-run.ts';
import { Recordings } from '../../src/agent/recording/recordings.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { AndroidDriver } from '../../src/drivers/android/android-driver.ts';
import type { Phone } from '../../src/drivers/driver.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import { noSteps } from '../../src/util/steps.ts';
import type { AdbHost } from './adb-pipe-child.ts';
import { answerParent } from './child.ts';
import { takeCollections } from './garbage.ts';
import { type Gateways, openGateways } from './gateways.ts';

const READY_DEADLINE_MS = 120_000;

const runs = new Map<string, LeaseRun>();
let phones: Phone[] = [];
let gateways: Gateways;
let recordings: Recordings | undefined;
let recordingsFolder = '';
/** Number of sessions so far. It makes each session id unique. */
let sessionCount = 0;

async function open({ adbPort, folder }: AdbHost): Promise<void> {
  const scrcpyServer = join(folder, 'scrcpy-server');
  const driver = new AndroidDriver({
    hostId: 'host-bench',
    address: { host: '127.0.0.1', port: adbPort },
    startServer: null,
    dataDir: folder,
    scrcpyServer,
    scrcpySha256: createHash('sha256')
      .update(await readFile(scrcpyServer))
      .digest('hex'),
    screen: { maxSize: 800, maxFps: 30, bitRate: 8_000_000 },
    log: silentLog,
  });
  await driver.start((found) => {
    phones = found;
  });
  gateways = await openGateways((link) => runs.get(link.hello.sessionId)?.attach(link));
}

/**
 * Borrows the phones of these models and returns the address of each stream once all phones show a frame.
 * `recordingsIn`: the folder in which the sessions are recorded; absent: they are not recorded.
 */
async function start({
  models,
  recordingsIn,
}: {
  models: string[];
  recordingsIn?: string;
}): Promise<{ port: number; path: string }[]> {
  if (recordingsIn !== undefined) {
    recordingsFolder = recordingsIn;
    recordings = await openRecordings(recordingsIn);
  }
  await until(`${models.length} phones to become available`, () => usable(models).length === models.length);
  const paths = usable(models).map((phone) => {
    sessionCount += 1;
    const sessionId = `session-${sessionCount}`;
    runs.set(sessionId, startLease(phone, sessionId));
    return gateways.addSession(sessionId).stream;
  });
  await until('every phone to show a frame', () => [...runs.values()].every((run) => run.connected));
  return paths.map((path) => ({ port: gateways.port, path }));
}

const usable = (models: string[]) =>
  phones.filter(({ problem, description }) => problem === null && models.includes(description.model));

/** The host prepares all artifacts and uploads none, because the control plane says that it has stored them already. */
function openRecordings(folder: string): Promise<Recordings> {
  const bus = new InProcessBus();
  bus.serve('control-plane.artifact', ANY_ADDRESS, async () => ({ isStored: true }));
  bus.serve('control-plane.recorded', ANY_ADDRESS, async () => ({}));
  return Recordings.open({
    ...{ hostId: 'host-bench', folder, maxBytes: 1024 ** 4, reserveBytes: 0, log: silentLog },
    ...{ bus, links: new InProcessLinks() },
  });
}

function startLease(phone: Phone, sessionId: string): LeaseRun {
  const recording = recordings ? { text: false, maxBytes: null } : null;
  const lease = { sessionId, epoch: 7, remainingMs: 3_600_000, app: null, recording };
  const apps = {
    open: async () => {
      throw new Error('the bench serves no apps');
    },
  };
  return new LeaseRun(phone, lease, {
    log: silentLog,
    steps: noSteps,
    pauses: new PauseWatch(),
    apps,
    recordings,
    idleTimeoutMs: 0,
    onChange: () => {},
    expire: async () => null,
  });
}

/** Ends the sessions, and resolves when the host has prepared their recordings and deleted its copies. */
async function stop(): Promise<void> {
  await Promise.all([...runs.values()].map((run) => run.stop({ isFinal: true })));
  runs.clear();
  if (recordings)
    await until('the recordings to be finished', async () => (await readdir(recordingsFolder)).length === 0);
  await recordings?.[Symbol.asyncDispose]();
  recordings = undefined;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Timed out after ${READY_DEADLINE_MS / 1000} s waiting for ${what}`);
    await delay(50);
  }
}

answerParent({ open, start, stop, takeCollections });
