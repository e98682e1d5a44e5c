import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { RecordedArtifact } from '../../src/bus/messages.ts';
import { FileChannel } from '../../src/link/file-channel.ts';
import { SmallDisk } from '../fixtures/small-disk.ts';
import {
  beginLease,
  closeRigs,
  endLease,
  FOLDER,
  linesOf,
  pictureHashes,
  RecordingPlane,
  startRig,
  temporaryFolder,
  until,
} from './recording-rig.ts';
import { Screen } from './screen.ts';

afterEach(closeRigs);

const CHILD = join(import.meta.dirname, 'recording-child.ts');
const FULL_DISK_CHILD = join(import.meta.dirname, 'full-disk-child.ts');
const SIZE = { width: 64, height: 128 };
/** Longest time without a line of the child that still counts as running. */
const LONGEST_GAP_MS = 500;

test('a process that is killed while it records loses at most the last two seconds', async () => {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [CHILD, join(folder, FOLDER)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let elapsedMs = 0;
  let runsSinceMs = 0;
  for await (const line of createInterface(child.stdout)) {
    const nowMs = Number(line);
    // A process that stood still could not write in that time.
    if (nowMs - elapsedMs > LONGEST_GAP_MS) runsSinceMs = nowMs;
    elapsedMs = nowMs;
    if (elapsedMs - runsSinceMs >= 3_000) break;
  }
  child.kill('SIGKILL');
  await exited;

  const { plane } = await startRig({ folder, resumeMs: 0 });
  await until(() => expect(plane.recorded).toHaveLength(1));
  expect(plane.recorded[0]!.detail).toContain('the host was restarted');
  const { facts, content } = plane.artifacts.get('video-1.mp4')!;
  expect(facts.durationMs!).toBeGreaterThan(elapsedMs - 2_000);
  expect(pictureHashes(content, SIZE).length).toBeGreaterThan(10);
  const { events } = plane;
  expect(events[0]).toMatchObject({ t: 0, type: 'started', session_id: 'session-1' });
  expect(events.at(-2)!.t).toBeGreaterThan(elapsedMs - 2_000);
  expect(events.at(-1)).toMatchObject({ type: 'stopped', t: facts.durationMs });
  await until(async () => expect(await readdir(folder)).toEqual([]));
});

test('a recording on a disk that became full is prepared for its upload without more space', async () => {
  await using disk = await SmallDisk.open(4);
  const [program, ...words] = [...disk.through, process.execPath, FULL_DISK_CHILD];
  const child = spawn(program!, [...words, join(disk.folder, FOLDER)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let last = '';
  for await (const line of createInterface(child.stdout)) {
    last = line;
    if (line !== 'recording') continue;
    await disk.fill();
    child.stdin.write('full\n');
  }
  const { detail, artifacts } = JSON.parse(last) as {
    detail: string;
    artifacts: { facts: RecordedArtifact; content: string }[];
  };
  expect(detail).toContain('the disk of the host is full');
  expect(artifacts.map(({ facts }) => facts.name)).toEqual(['events.jsonl', 'video-1.mp4']);
  const [events, video] = artifacts.map(({ content }) => Buffer.from(content, 'base64'));
  expect(artifacts.map(({ facts }) => facts.size)).toEqual([events!.length, video!.length]);
  expect(pictureHashes(video!, SIZE).length).toBeGreaterThanOrEqual(5);
  expect(linesOf(events!.toString())).toMatchObject([
    ...[{ type: 'started' }, { type: 'mark' }, { type: 'stopped', reason: detail }],
  ]);
});

async function recordFrames() {
  const rig = await startRig();
  await beginLease(rig);
  const screen = new Screen((packet) => rig.session.emit(packet));
  screen.show(5);
  return rig;
}

test('an upload is repeated after failures of the bus, the link and the storage, without what is already stored', async () => {
  const rig = await recordFrames();
  const { plane } = rig;
  const failures = [
    () => {
      throw new Error('the database is being upgraded');
    },
    () => ({ ingest: 'in-process:nowhere', ticket: 'ticket' }),
  ];
  plane.refuse = ({ name }) => (name === 'events.jsonl' ? (failures.shift()?.() ?? null) : null);
  const links = [
    (channel: FileChannel) => channel[Symbol.dispose](),
    (channel: FileChannel) =>
      channel.send({ type: 'failed', reason: 'no_space', message: 'the storage is full' }),
  ];
  plane.intercept = (link) => {
    const fail = links.shift();
    fail?.(new FileChannel(link));
    return fail !== undefined;
  };
  await endLease(rig);
  expect([failures, links]).toEqual([[], []]);
  expect([...plane.artifacts.keys()]).toEqual(['events.jsonl', 'video-1.mp4']);
  expect(pictureHashes(plane.artifacts.get('video-1.mp4')!.content, SIZE)).toHaveLength(5);
  expect(plane.recorded).toEqual([{ sessionId: 'session-1', epoch: 1, detail: null }]);
});

test('an artifact that is rejected is not uploaded again, and the others are stored', async () => {
  const rig = await recordFrames();
  const { plane } = rig;
  plane.refuse = ({ kind }) => (kind === 'video' ? { refused: 'the quota is used up' } : null);
  await endLease(rig);
  expect(plane.requests).toBe(2);
  expect([...plane.artifacts.keys()]).toEqual(['events.jsonl']);
  expect(plane.recorded[0]!.detail).toBe('video-1.mp4 was not stored: the quota is used up');
});

/** Rejects what exceeds the space of an account, which a reservation of the same size keeps, as the store does. */
function limitSpace(plane: RecordingPlane, bytes: number) {
  const reserved = new Map<string, number>();
  plane.refuse = ({ name, size }) => {
    const earlier = reserved.get(name) ?? 0;
    if (size === earlier) return null;
    const left = bytes - [...reserved.values()].reduce((sum, one) => sum + one, 0);
    if (size > left) return { refused: 'no space', room: Math.max(0, left, earlier) };
    reserved.set(name, size);
    return null;
  };
}

test('a video for which the account has too little space is stored up to the last frame that fits', async () => {
  const rig = await startRig();
  await beginLease(rig);
  const screen = new Screen((packet) => rig.session.emit(packet));
  screen.show(100);
  const { plane } = rig;
  limitSpace(plane, 60_000);
  // The first upload of the part, after the events, fails when its space is reserved.
  let links = 0;
  plane.intercept = (link) => {
    links += 1;
    if (links === 2) new FileChannel(link)[Symbol.dispose]();
    return links === 2;
  };
  await endLease(rig);
  expect(plane.recorded[0]!.detail).toContain('the end of the video was not stored');
  expect(links).toBe(3);
  expect([...plane.artifacts.keys()]).toEqual(['events.jsonl', 'video-1.mp4']);
  const { facts, content } = plane.artifacts.get('video-1.mp4')!;
  expect(content.length + plane.artifacts.get('events.jsonl')!.content.length).toBeLessThanOrEqual(60_000);
  const stream = screen.packets.flatMap((packet) => (packet.type === 'session' ? [] : [packet.data]));
  const pictures = pictureHashes(content, SIZE);
  expect(pictures.length).toBeGreaterThan(5);
  expect(pictures.length).toBeLessThan(100);
  expect(pictures).toEqual(pictureHashes(Buffer.concat(stream), SIZE).slice(0, pictures.length));
  // A frame is shown until the next one, which is the first that is missing.
  expect(facts.durationMs).toBe(pictures.length * 20);
});

test('a video of which only the start is stored already is reported as such after a restart', async () => {
  const rig = await recordFrames();
  rig.plane.refuse = ({ kind }) => (kind === 'video' ? { isStored: true, storedBytes: 1_000 } : null);
  await endLease(rig);
  expect(rig.plane.recorded[0]!.detail).toContain('the end of the video was not stored');
});

test('a video of which no frame fits into the space of the account is missing, and the others are stored', async () => {
  const rig = await recordFrames();
  limitSpace(rig.plane, 500);
  await endLease(rig);
  expect(rig.plane.recorded[0]!.detail).toBe('video-1.mp4 was not stored: no space');
  expect([...rig.plane.artifacts.keys()]).toEqual(['events.jsonl']);
});

test('a host that stops during an upload continues it after its next start', async () => {
  const rig = await recordFrames();
  let isReceiving = false;
  rig.plane.intercept = () => {
    isReceiving = true;
    return true;
  };
  await rig.plane.order(null);
  await until(() => expect(isReceiving).toBe(true));
  await rig.agent[Symbol.asyncDispose]();
  const { plane } = await startRig({ folder: rig.folder, resumeMs: 0 });
  await until(() => expect(plane.recorded).toEqual([{ sessionId: 'session-1', epoch: 1, detail: null }]));
  expect(pictureHashes(plane.artifacts.get('video-1.mp4')!.content, SIZE)).toHaveLength(5);
});

test('a host that was off for more than a week uploads its recording, even if the first attempt fails', async () => {
  const rig = await recordFrames();
  await rig.agent[Symbol.asyncDispose]();
  const createdAt = Date.now() - 8 * 86_400_000;
  await writeFile(join(rig.folder, FOLDER, 'meta.json'), JSON.stringify({ version: 1, createdAt }));
  const plane = new RecordingPlane();
  let failures = 2;
  plane.refuse = () => {
    failures -= 1;
    if (failures >= 0) throw new Error('the database is starting');
    return null;
  };
  await startRig({ folder: rig.folder, plane, resumeMs: 0 });
  await until(() => expect(plane.recorded).toHaveLength(1));
  expect([...plane.artifacts.keys()]).toEqual(['events.jsonl', 'video-1.mp4']);
});
