import { appendFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BlobSource, EncodedPacketSink, FilePathSource, Input, MP4 } from 'mediabunny';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { encodePacket } from '../../contract/sockets/stream-packets.ts';
import { avcConfiguration } from '../../media/mp4/avc.ts';
import { readVideos, type VideoFile } from './indexed-videos.ts';
import { MAX_VIDEOS } from './recording-folder.ts';
import { clockRecord, indexHeader, RECORD_BYTES, writeFrameRecord } from './video-index.ts';
import { VideoRecorder } from './video-recorder.ts';

/** Parameter sets of the simulated phone's encoder for 64 × 128 and 128 × 64, Annex B. */
const UPRIGHT = Buffer.from('000000016742c00a95a10469a808683520f89a800000000168ce0bc8', 'hex');
const TURNED = Buffer.from('000000016742c00a95a08269a808683520f89a800000000168ce0bc8', 'hex');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-videos-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** A phone whose recorder writes at once. All times are in milliseconds. */
class RecordedPhone {
  keyframeRequests = 0;
  private readonly at: number;
  readonly recorder: VideoRecorder;

  /** `at`: when the recorder was created. */
  constructor(at = 5_000, maxIndexBytes?: number) {
    this.at = at;
    this.recorder = new VideoRecorder({
      files: {
        append: (name, bytes) => appendFileSync(join(folder, name), bytes),
        copy: (name, source, from, to) => appendFileSync(join(folder, name), source.subarray(from, to)),
        end: () => {},
      },
      onStart: () => {},
      onRotation: () => {},
      requestKeyframe: () => {
        this.keyframeRequests += 1;
      },
      ...(maxIndexBytes !== undefined && { maxIndexBytes }),
    });
  }

  format(width: number, height: number, config: Uint8Array): this {
    this.recorder.push(encodePacket({ type: 'session', width, height }), this.at);
    this.recorder.push(encodePacket({ type: 'config', pts: 0, data: config }), this.at);
    return this;
  }

  upright = () => this.format(64, 128, UPRIGHT);
  turned = () => this.format(128, 64, TURNED);

  /** A frame that arrives at this time. `pts`: what the clock of the phone shows. */
  frame(type: 'keyframe' | 'delta', ms: number, { pts = ms, data = frameOf(type) } = {}): this {
    this.recorder.push(encodePacket({ type, pts: pts * 1000, data }), this.at + ms);
    return this;
  }

  key = (ms: number) => this.frame('keyframe', ms);
  delta = (ms: number) => this.frame('delta', ms);
  damaged = (ms: number, type: 'keyframe' | 'delta' = 'delta') =>
    this.frame(type, ms, { data: Uint8Array.of(9, 9, 9) });

  clock(ms: number): this {
    this.recorder.writeClock(this.at + ms);
    return this;
  }
}

const frameOf = (type: 'keyframe' | 'delta') =>
  Uint8Array.of(0, 0, 0, 1, type === 'keyframe' ? 0x65 : 0x41, 9, 9, 9);

function frameRecord({ isKey, end, ms }: { isKey: boolean; end: number; ms: number }): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  writeFrameRecord(record, isKey, end, ms);
  return record;
}

const path = (name: string) => join(folder, name);
const read = (count = 1) =>
  readVideos(
    folder,
    Array.from({ length: count }, (_, at) => at + 1),
    new AbortController().signal,
  );
const timesOf = (videos: VideoFile[]) =>
  videos.map(({ name, offsetMs, durationMs }) => [name, offsetMs, durationMs]);

async function contentOf({ head, path: samples, bytes }: VideoFile): Promise<Buffer> {
  return Buffer.concat([head, (await readFile(samples)).subarray(0, bytes)]);
}

/** When each frame of a file is shown and for how long, in seconds. */
async function framesOf(video: VideoFile): Promise<string[]> {
  const source = new BlobSource(new Blob([Uint8Array.from(await contentOf(video))]));
  const track = (await new Input({ source, formats: [MP4] }).getPrimaryVideoTrack())!;
  const frames: string[] = [];
  for await (const { timestamp, duration, data } of new EncodedPacketSink(track).packets()) {
    expect([...data.subarray(0, 4)]).toEqual([0, 0, 0, 4]);
    frames.push(`${timestamp.toFixed(1)} +${duration.toFixed(1)}`);
  }
  return frames;
}

test('half an hour of a still screen is one frame that is shown until the end', async () => {
  const phone = new RecordedPhone().upright().frame('keyframe', 0, { pts: 77_000 });
  for (let second = 1; second <= 1_800; second += 1) phone.clock(second * 1_000);
  const { videos, durationMs, unreadable } = await read();
  expect([durationMs, unreadable]).toEqual([1_800_000, 0]);
  expect(videos).toMatchObject([{ offsetMs: 0, durationMs: 1_800_000, width: 64, height: 128, bytes: 8 }]);
  expect(videos[0]!.head.length).toBeLessThan(1_000);
  expect(await framesOf(videos[0]!)).toEqual(['0.0 +1800.0']);
});

test('a rotation and another process begin other videos, at their times', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  new RecordedPhone().upright().key(0).delta(400).turned().delta(1_900).key(2_000).clock(3_000);
  vi.setSystemTime(1_009_000);
  const next = new RecordedPhone(0);
  const earlier = { startedAt: 1_000_000, endMs: 3_000, videos: 2, screenshots: 0, bytes: 0 };
  next.recorder.open({ ...earlier, eventBytes: 0, logBytes: 0, end: null });
  next.upright().key(0).delta(500).clock(1_000);
  const { videos, durationMs } = await read(3);
  expect(durationMs).toBe(10_000);
  expect(timesOf(videos)).toEqual([
    ['video-1.mp4', 0, 2_000],
    ['video-2.mp4', 2_000, 1_000],
    ['video-3.mp4', 9_000, 1_000],
  ]);
  expect(videos.map(({ width }) => width)).toEqual([64, 128, 64]);
  expect(await framesOf(videos[0]!)).toEqual(['0.0 +0.4', '0.4 +1.6']);
});

const HEADER_BYTES = indexHeader({ width: 64, height: 128, configuration: avcConfiguration(UPRIGHT) }).length;
/** Room for 20 records, a fifth of which is 8 records if the header is that long. */
const SMALL_INDEX = HEADER_BYTES + 20 * RECORD_BYTES;

test('a video whose index is long continues until the next keyframe, which is requested and begins another', async () => {
  const phone = new RecordedPhone(0, SMALL_INDEX).upright().key(0);
  for (let at = 1; at < 10; at += 1) phone.delta(at * 100);
  expect(phone.keyframeRequests).toBeGreaterThan(0);
  phone.key(1_000).delta(1_100).clock(1_200);
  const { videos } = await read(2);
  expect(timesOf(videos)).toEqual([
    ['video-1.mp4', 0, 1_000],
    ['video-2.mp4', 1_000, 200],
  ]);
  expect(await framesOf(videos[0]!)).toHaveLength(10);
  expect(await framesOf(videos[1]!)).toHaveLength(2);
  expect(phone.recorder.incompleteReason).toBe(null);
});

test('an index that is full ends its video, and the recording says what is missing', async () => {
  const phone = new RecordedPhone(0, SMALL_INDEX).upright().key(0);
  for (let at = 1; at < 40; at += 1) phone.delta(at * 100).clock(at * 100 + 50);
  expect((await stat(path('video-1.index'))).size).toBeLessThanOrEqual(SMALL_INDEX);
  expect(phone.recorder.incompleteReason).toContain('sent no keyframe for too long');
  phone.key(4_000).delta(4_100).clock(4_200);
  const { videos, unreadable } = await read(2);
  expect(unreadable).toBe(0);
  expect(timesOf(videos)).toEqual([
    ['video-1.mp4', 0, 950],
    ['video-2.mp4', 4_000, 200],
  ]);
});

test('a format that is announced again, or that has no frame, begins no video', async () => {
  new RecordedPhone().upright().key(0).upright().delta(100).turned().upright().key(200).delta(300).clock(400);
  const { videos } = await read(2);
  expect(timesOf(videos)).toEqual([['video-1.mp4', 0, 400]]);
  expect(await framesOf(videos[0]!)).toHaveLength(4);
});

test('the clock of a phone that jumps, stands still or runs backwards does not change the length of the video', async () => {
  const phone = new RecordedPhone().upright().frame('keyframe', 0, { pts: 1 });
  for (const [at, pts] of [1, 1, 0, 9_000_000_000, 9_000_000_100].entries())
    phone.frame('delta', at * 100, { pts });
  phone.clock(1_000);
  const { videos } = await read();
  expect(videos).toMatchObject([{ durationMs: 1_000 }]);
  expect(await framesOf(videos[0]!)).toEqual([
    ...['0.0 +0.0', '0.0 +0.0', '0.0 +0.0', '0.0 +0.3', '0.3 +0.1', '0.4 +0.6'],
  ]);
});

test('files that end anywhere play up to the last complete frame', async () => {
  new RecordedPhone().upright().key(0).delta(100).clock(150).delta(200).clock(300);
  const index = await readFile(path('video-1.index'));
  const samples = await readFile(path('video-1.samples'));
  const header = index.length - 6 * RECORD_BYTES;
  // A clock record comes first, and after two and three frames.
  const framesIn = (bytes: number) => [0, 0, 1, 2, 2, 3, 3][Math.floor((bytes - header) / RECORD_BYTES)] ?? 0;
  for (let indexBytes = 0; indexBytes <= index.length; indexBytes += 1) {
    for (const sampleBytes of [0, 1, 7, 8, 15, 16, 23, 24]) {
      await writeFile(path('video-1.index'), index.subarray(0, indexBytes));
      await writeFile(path('video-1.samples'), samples.subarray(0, sampleBytes));
      const { videos } = await read();
      const frames = Math.min(framesIn(indexBytes), Math.floor(sampleBytes / 8));
      const shown = videos[0] ? await framesOf(videos[0]) : [];
      expect(shown, `${indexBytes} bytes of the index and ${sampleBytes} of samples`).toHaveLength(frames);
    }
  }
});

test('zeros at the ends of the files, which a power failure may leave, do not damage the video before them', async () => {
  new RecordedPhone().upright().key(0).delta(100).clock(500).delta(600).delta(700).clock(800);
  const samples = await open(path('video-1.samples'), 'r+');
  await samples.write(Buffer.alloc(16), 0, 16, 16);
  await samples.close();
  appendFileSync(path('video-1.index'), Buffer.alloc(10_000));
  const { videos, unreadable } = await read();
  expect(unreadable).toBe(0);
  expect(videos).toMatchObject([{ bytes: 16, durationMs: 800 }]);
  expect(await framesOf(videos[0]!)).toEqual(['0.0 +0.1', '0.1 +0.7']);
});

test('parameter sets that are damaged cut a part of the video', async () => {
  const phone = new RecordedPhone()
    .format(64, 128, Uint8Array.of(0, 0, 0, 1, 0x68, 1))
    .key(0)
    .delta(10);
  expect(phone.recorder.hasStarted).toBe(false);
  expect(phone.recorder.incompleteReason).toMatch('not valid H.264');
  phone.turned().key(1_000).clock(2_000);
  const { videos } = await read();
  expect(videos).toMatchObject([{ name: 'video-1.mp4', offsetMs: 0, durationMs: 1_000, width: 128 }]);
});

test('a size that no MP4 file can have is not recorded', async () => {
  const phone = new RecordedPhone().format(65_536, 128, UPRIGHT).key(0).format(0, 128, UPRIGHT).key(10);
  expect(phone.recorder.hasStarted).toBe(false);
  expect(phone.recorder.incompleteReason).toMatch('not valid H.264');
});

test('the frames from a damaged one to the next keyframe are missing', async () => {
  const phone = new RecordedPhone().upright().key(0).delta(100);
  expect(phone.recorder.incompleteReason).toBe(null);
  phone.damaged(300).delta(400).damaged(500, 'keyframe').delta(600).key(1_000).delta(1_100).clock(2_000);
  expect(phone.recorder.incompleteReason).toMatch('not valid H.264');
  const { videos } = await read();
  expect(await framesOf(videos[0]!)).toEqual(['0.0 +0.1', '0.1 +0.9', '1.0 +0.1', '1.1 +0.9']);
});

test('a screen that is rotated often does not make more videos than a session may have artifacts', async () => {
  const phone = new RecordedPhone();
  for (let at = 0; at < 150; at += 1) (at % 2 === 0 ? phone.upright() : phone.turned()).key(at * 100);
  const { videos, unreadable } = await read(phone.recorder.videos);
  expect(phone.recorder.videos).toBe(150);
  expect([videos.length, unreadable]).toEqual([MAX_VIDEOS, 150 - MAX_VIDEOS]);
});

test('a video of more than 4 GiB has every frame', async () => {
  const format = { width: 64, height: 128, configuration: avcConfiguration(UPRIGHT) };
  const size = 60 * 1024 * 1024;
  const count = 90;
  await writeFile(path('video-1.samples'), '');
  await truncate(path('video-1.samples'), count * size);
  const samples = await open(path('video-1.samples'), 'r+');
  const records = Array.from({ length: count }, (_, at) =>
    frameRecord({ isKey: at === 0, end: (at + 1) * size, ms: at * 20 }),
  );
  await writeFile(path('video-1.index'), Buffer.concat([indexHeader(format), ...records]));
  const last = Buffer.alloc(4);
  last.writeUInt32BE(size - 4);
  await samples.write(last, 0, 4, (count - 1) * size);
  await samples.close();
  const { videos } = await read();
  expect(videos).toMatchObject([{ bytes: count * size }]);
  // A file without blocks, except for its start.
  await writeFile(path('video.mp4'), videos[0]!.head);
  await truncate(path('video.mp4'), videos[0]!.head.length + count * size);
  const file = await open(path('video.mp4'), 'r+');
  await file.write(last, 0, 4, videos[0]!.head.length + (count - 1) * size);
  await file.close();
  expect((await stat(path('video.mp4'))).size).toBeGreaterThan(2 ** 32);
  const input = new Input({ source: new FilePathSource(path('video.mp4')), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const frame = (await new EncodedPacketSink(track).getPacket(1_000))!;
  expect([frame.timestamp, frame.byteLength]).toEqual([(count - 1) * 0.02, size]);
  expect(frame.data.subarray(0, 4)).toEqual(new Uint8Array(last));
  input.dispose();
});

test('files with any content are read without an error', async () => {
  const format = { width: 64, height: 128, configuration: avcConfiguration(UPRIGHT) };
  const frame = fc
    .record({ isKey: fc.boolean(), end: fc.nat(2 ** 30), ms: fc.double() })
    .map((record) => frameRecord(record));
  const record = fc.oneof(
    frame,
    fc.double().map(clockRecord),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(24).map((end) => frameRecord({ isKey: true, end, ms: end })),
  );
  const index = fc.tuple(fc.boolean(), fc.array(record, { maxLength: 30 }));
  await fc.assert(
    fc.asyncProperty(index, fc.uint8Array({ maxLength: 64 }), async ([hasHeader, records], samples) => {
      const header = hasHeader ? indexHeader(format) : Buffer.alloc(0);
      await writeFile(path('video-1.index'), Buffer.concat([header, ...records]));
      await writeFile(path('video-1.samples'), samples);
      for (const { bytes } of (await read()).videos) expect(bytes).toBeLessThanOrEqual(samples.length);
    }),
    { numRuns: 300 },
  );
});
