import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Phonebooth, type PhoneSession } from 'phonebooth/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Artifact } from '../../src/contract/http/artifact.ts';
import type { RecordingEvent } from '../../src/contract/recording/recording-event.ts';
import { allContent } from '../agent/recording-rig.ts';
import { Listener } from '../api/listeners.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';

const run = promisify(execFile);
const LONG = { deadlineMs: 120_000 };
const TYPED = 'correct horse battery';

let service: Service;
let phones: Phonebooth;
let folder: string;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-recordings-'));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const anyPhone = () =>
  until(
    'an available phone',
    async () => (await phones.api.listDevices({ status: 'available' })).items[0]?.id,
    LONG,
  );

async function download(sessionId: string, { id, size }: Artifact): Promise<Buffer> {
  const { bytes } = await phones.api.downloadArtifact(sessionId, id);
  const content = Buffer.concat(await Array.fromAsync(bytes));
  expect(content).toHaveLength(size);
  return content;
}

/**
 * Waits for the first frame after a rotation. The response to the command can arrive before the phone has encoded it, and
 * the first keyframe of a new reader can be one from before the rotation.
 */
async function untilLandscape(session: PhoneSession): Promise<void> {
  let isLandscape = false;
  for await (const packet of session.frames({ signal: AbortSignal.timeout(LONG.deadlineMs) })) {
    if (packet.type === 'session') isLandscape = packet.width > packet.height;
    if (packet.type === 'keyframe' && isLandscape) return;
  }
  throw new Error('no frame in landscape arrived');
}

/** The number of pictures that ffmpeg decodes without an error, and their size. */
async function decode(content: Buffer): Promise<{ width: number; height: number; pictures: number }> {
  const path = join(folder, 'video.mp4');
  await writeFile(path, content);
  const complaints = await run('ffmpeg', [
    '-v',
    'error',
    '-i',
    path,
    '-enc_time_base',
    '-1',
    '-f',
    'null',
    '-',
  ]);
  expect(complaints.stderr).toBe('');
  const what = ['-count_frames', '-show_entries', 'stream=width,height,nb_read_frames', '-of', 'json'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...what, path]);
  const [{ width, height, nb_read_frames }] = JSON.parse(stdout).streams;
  return { width, height, pictures: Number(nb_read_frames) };
}

test('records the screen, the commands and the log of a session, without what is typed', async () => {
  await using listener = await Listener.open(`${service.baseUrl}/events`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  let id = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5, record: true });
    id = session.id;
    await session.ready;
    await session.tap(0.25, 0.75);
    await session.text(TYPED);
    await session.rotate('landscape');
    await untilLandscape(session);
    await session.screenshot();
    expect(await phones.api.getSession(id)).toMatchObject({
      recording: { status: 'recording', detail: null },
    });
  }
  const ended = await phones.api.waitForRecording(id, { timeoutMs: LONG.deadlineMs });
  expect(ended.recording).toEqual({ status: 'complete', detail: null });
  const matches = ({ session_id, recording }: Record<string, unknown>) =>
    session_id === id && (recording as { status: string }).status === 'complete';
  await listener.event('session.changed', matches);

  const { items } = await phones.api.listArtifacts(id);
  const videos = items.filter(({ kind }) => kind === 'video');
  expect(videos.map(({ name }) => name)).toEqual(['video-1.mp4', 'video-2.mp4']);
  const sizes = [];
  for (const video of videos) {
    const { width, height, pictures } = await decode(await download(id, video));
    expect({ width, height }).toEqual({ width: video.width, height: video.height });
    expect(pictures).toBeGreaterThan(0);
    sizes.push(width < height ? 'portrait' : 'landscape');
  }
  expect(sizes).toEqual(['portrait', 'landscape']);

  const text = (await download(id, items.find(({ kind }) => kind === 'events')!)).toString();
  expect(text).not.toContain(TYPED);
  const events = text
    .trimEnd()
    .split('\n')
    .map((line): RecordingEvent => JSON.parse(line));
  expect(events[0]).toMatchObject({ type: 'started', session_id: id });
  expect(events.at(-1)).toMatchObject({ type: 'stopped', reason: null });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'command', method: 'tap', params: { x: 0.25, y: 0.75 } }),
  );
  expect(events).toContainEqual(expect.objectContaining({ type: 'command', method: 'text' }));
  expect(events).toContainEqual(expect.objectContaining({ type: 'rotation' }));
  expect(items.map(({ kind }) => kind)).toContain('screenshot');
  // The host deletes its copy.
  const recordings = join(service.dataDir, 'recordings');
  await until('an empty folder of recordings', async () => (await readdir(recordings)).length === 0, LONG);
});

test('keeps what was recorded before the service was killed', async () => {
  const session = await phones.connect(await anyPhone(), { duration: 5, record: true });
  const { id } = session;
  await session.ready;
  await session.tap(0.125, 0.875);
  const recordings = join(service.dataDir, 'recordings');
  await until('the tap on disk', async () => (await allContent(recordings)).includes('0.875'), LONG);
  await service.kill9();
  await session[Symbol.asyncDispose]().catch(() => {});
  await service.restart();
  await until('the session', () => phones.api.getSession(id).catch(() => null), LONG);
  await phones.api.disconnect(id).catch(() => {});
  const { recording } = await phones.api.waitForRecording(id, { timeoutMs: LONG.deadlineMs });
  expect(recording).toMatchObject({ status: 'complete' });
  const { items } = await phones.api.listArtifacts(id);
  const videos = items.filter(({ kind }) => kind === 'video');
  expect(videos.length).toBeGreaterThan(0);
  for (const video of videos) expect((await decode(await download(id, video))).pictures).toBeGreaterThan(0);
  const events = items.filter(({ kind }) => kind === 'events');
  const texts = await Promise.all(events.map((artifact) => download(id, artifact)));
  expect(texts.join('')).toContain('0.875');
});
