import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodePacket, type StreamPacket } from '../../contract/sockets/stream-packets.ts';
import { clockRecord } from './packet-file.ts';
import { MAX_VIDEOS } from './recording-folder.ts';
import { writeVideos } from './write-videos.ts';

/** Parameter sets of the simulated phone's encoder for 64 × 128 and 128 × 64, Annex B. */
const UPRIGHT = Buffer.from('000000016742c00a95a10469a808683520f89a800000000168ce0bc8', 'hex');
const TURNED = Buffer.from('000000016742c00a95a08269a808683520f89a800000000168ce0bc8', 'hex');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-videos-'));
});
afterEach(() => rm(folder, { recursive: true }));

const clock = (ms: number) => clockRecord(ms);
const packet = (content: StreamPacket) => encodePacket(content);
const frame = (type: 'keyframe' | 'delta', ptsMs: number) =>
  packet({
    type,
    pts: ptsMs * 1000,
    data: Uint8Array.of(0, 0, 0, 1, type === 'keyframe' ? 0x65 : 0x41, 9, 9, 9),
  });
const upright = [
  packet({ type: 'session', width: 64, height: 128 }),
  packet({ type: 'config', pts: 0, data: UPRIGHT }),
];
const turned = [
  packet({ type: 'session', width: 128, height: 64 }),
  packet({ type: 'config', pts: 0, data: TURNED }),
];

async function convert(...parts: Uint8Array[][]) {
  const packets = parts.map((_, at) => `packets-${at + 1}.v4`);
  for (const [at, part] of parts.entries()) await writeFile(join(folder, packets[at]!), Buffer.concat(part));
  return writeVideos({ folder, packets });
}

/** When each frame of a file is shown and for how long, in seconds. */
async function framesOf(name: string): Promise<string[]> {
  const source = new BlobSource(new Blob([await readFile(join(folder, name))]));
  const track = (await new Input({ source, formats: [MP4] }).getPrimaryVideoTrack())!;
  const frames: string[] = [];
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets())
    frames.push(`${timestamp.toFixed(1)} +${duration.toFixed(1)}`);
  return frames;
}

test('half an hour of a still screen is one frame that is shown until the end', async () => {
  const seconds = Array.from({ length: 1_800 }, (_, second) => clock((second + 1) * 1_000));
  const { videos, durationMs } = await convert([clock(0), ...upright, frame('keyframe', 77_000), ...seconds]);
  expect(durationMs).toBe(1_800_000);
  expect(videos).toMatchObject([{ offsetMs: 0, durationMs: 1_800_000, width: 64, height: 128 }]);
  expect(videos[0]!.size).toBeLessThan(10_000);
  expect(await framesOf('video-1.mp4')).toEqual(['0.0 +1800.0']);
});

test('a rotation and another process begin other videos, at their times', async () => {
  const { videos, durationMs } = await convert(
    [
      clock(0),
      ...upright,
      frame('keyframe', 500),
      frame('delta', 900),
      ...turned,
      frame('keyframe', 2_500),
      clock(3_000),
    ],
    [clock(9_000), ...upright, frame('keyframe', 10), clock(9_500), frame('delta', 600), clock(10_000)],
  );
  expect(durationMs).toBe(10_000);
  expect(videos.map(({ name, offsetMs, durationMs: length }) => [name, offsetMs, length])).toEqual([
    ['video-1.mp4', 0, 2_000],
    ['video-2.mp4', 2_000, 1_000],
    ['video-3.mp4', 9_000, 1_000],
  ]);
  expect(await framesOf('video-1.mp4')).toEqual(['0.0 +0.4', '0.4 +1.6']);
});

test('the clock of a phone that jumps, stands still or runs backwards does not change the length of the video', async () => {
  const jumps = [1, 1, 0, 9_000_000_000, 9_000_000_100].map((pts, at) => [
    clock(at * 100),
    frame('delta', pts),
  ]);
  const { videos } = await convert([
    clock(0),
    ...upright,
    frame('keyframe', 1),
    ...jumps.flat(),
    clock(1_000),
  ]);
  expect(videos).toMatchObject([{ durationMs: 1_000 }]);
});

test('a file that ends anywhere plays up to the last complete packet', async () => {
  const records = [
    clock(0),
    ...upright,
    frame('keyframe', 0),
    frame('delta', 100),
    clock(150),
    frame('delta', 200),
  ];
  const whole = Buffer.concat(records);
  const lengths = records.map(({ length }) => length);
  for (let end = 0; end <= whole.length; end += 1) {
    let complete = 0;
    for (let rest = end; complete < lengths.length && rest >= lengths[complete]!; complete += 1)
      rest -= lengths[complete]!;
    const frames = complete < 4 ? 0 : complete < 5 ? 1 : complete < 7 ? 2 : 3;
    const { videos, unreadable } = await convert([whole.subarray(0, end)]);
    expect(unreadable).toBe(0);
    expect(videos).toHaveLength(frames === 0 ? 0 : 1);
    if (frames > 0) expect(await framesOf('video-1.mp4'), `the first ${end} bytes`).toHaveLength(frames);
  }
});

test('parameter sets that are damaged make one video unreadable', async () => {
  const damaged = packet({ type: 'config', pts: 0, data: Uint8Array.of(0, 0, 0, 1, 0x68, 1) });
  const { videos, unreadable } = await convert([
    ...[clock(0), upright[0]!, damaged, frame('keyframe', 0), frame('delta', 10)],
    ...[...turned, frame('keyframe', 1_000), clock(2_000)],
  ]);
  expect(unreadable).toBe(1);
  expect(videos).toMatchObject([{ name: 'video-1.mp4', offsetMs: 1_000, width: 128 }]);
});

/** A frame that the muxer rejects: it has no start code. */
const damagedFrame = (ptsMs: number) =>
  packet({ type: 'delta', pts: ptsMs * 1000, data: Uint8Array.of(9, 9, 9) });

test('a damaged frame ends a video, and the next keyframe begins another one', async () => {
  const { videos, unreadable, durationMs } = await convert([
    ...[clock(0), ...upright, frame('keyframe', 0), frame('delta', 100), damagedFrame(300)],
    ...[frame('delta', 400), frame('keyframe', 1_000), frame('delta', 1_100), clock(2_000)],
    ...[frame('keyframe', 2_500), damagedFrame(2_600), frame('keyframe', 2_700), damagedFrame(2_800)],
  ]);
  expect(unreadable).toBe(3);
  expect(durationMs).toBe(2_801);
  expect(videos.map(({ name, offsetMs, durationMs: length }) => [name, offsetMs, length])).toEqual([
    ['video-1.mp4', 0, 300],
    ['video-2.mp4', 1_000, 1_600],
    ['video-3.mp4', 2_700, 100],
  ]);
  expect(await framesOf('video-1.mp4')).toEqual(['0.0 +0.1', '0.1 +0.2']);
  expect(await framesOf('video-2.mp4')).toEqual(['0.0 +0.1', '0.1 +1.4', '1.5 +0.1']);
  expect(await framesOf('video-3.mp4')).toEqual(['0.0 +0.1']);
});

test('damaged frames do not make more videos than a session may have artifacts', async () => {
  const frames = Array.from({ length: 150 }, (_, at) => [
    frame('keyframe', at * 100),
    damagedFrame(at * 100 + 50),
  ]);
  const { videos, unreadable } = await convert([clock(0), ...upright, ...frames.flat(), clock(15_000)]);
  expect(videos).toHaveLength(MAX_VIDEOS);
  expect(unreadable).toBe(MAX_VIDEOS + 1);
});

test('zeros at the end of a file, which a power failure may leave, do not damage the video before them', async () => {
  const { videos, unreadable } = await convert([
    ...[clock(0), ...upright, frame('keyframe', 0), frame('delta', 100), clock(500), new Uint8Array(10_000)],
  ]);
  expect(unreadable).toBe(0);
  expect(videos).toMatchObject([{ durationMs: 500 }]);
  expect(await framesOf('video-1.mp4')).toEqual(['0.0 +0.1', '0.1 +0.4']);
});
