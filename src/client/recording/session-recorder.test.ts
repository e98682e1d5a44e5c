import { BlobSource, BufferTarget, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MediaPacket } from '../../contract/sockets/stream-packets.ts';
import type { RecordingFile, RecordingStorage } from './recording-storage.ts';
import { type RecordingEnd, SessionRecorder } from './session-recorder.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
/** Parameter sets of the simulated phone's encoder for 64 × 128 and 128 × 64, Annex B. */
const UPRIGHT = bytes('000000016742c00a95a10469a808683520f89a800000000168ce0bc8');
const TURNED = bytes('000000016742c00a95a08269a808683520f89a800000000168ce0bc8');
const SECOND = 1_000_000;

const frame = (type: MediaPacket['type'], pts: number, size = 8): MediaPacket => ({
  type,
  pts,
  data: Uint8Array.of(0, 0, 0, 1, type === 'keyframe' ? 0x65 : 0x41, ...new Uint8Array(size).fill(9)),
});

const inMemory: RecordingStorage<Blob> = {
  maxBytes: 1_000,
  create: async (): Promise<RecordingFile<Blob>> => {
    const target = new BufferTarget();
    return { target, take: async () => new Blob([target.buffer!]) };
  },
};

let asked: number;
let ended: Promise<{ end: RecordingEnd; files: readonly Blob[] }>;
let recorder: SessionRecorder<Blob>;

function record(storage = inMemory): void {
  const { promise, resolve } = Promise.withResolvers<Awaited<typeof ended>>();
  asked = 0;
  ended = promise;
  recorder = new SessionRecorder({
    storage,
    requestKeyframe: () => {
      asked += 1;
    },
    onBegin: () => {},
    onEnd: (end, files) => resolve({ end, files }),
  });
  upright();
}

function upright(): void {
  recorder.onPacket({ type: 'session', width: 64, height: 128 });
  recorder.onPacket({ type: 'config', pts: 0, data: UPRIGHT });
}

/** Returns for each frame of a file when it is shown and for how long, in seconds, and whether it is a keyframe. */
async function contents(file: Blob) {
  const input = new Input({ source: new BlobSource(file), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const frames: string[] = [];
  for await (const { type, timestamp, duration, data } of new EncodedPacketSink(track).packets()) {
    // MP4 has a length of four bytes in place of the start codes of Annex B.
    expect(new DataView(data.buffer, data.byteOffset).getUint32(0)).toBeLessThan(data.length);
    frames.push(`${type} ${timestamp.toFixed(2)} +${duration.toFixed(2)}`);
  }
  return { width: await track.getCodedWidth(), height: await track.getCodedHeight(), frames };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  record();
});
afterEach(() => {
  recorder.stop();
  vi.useRealTimers();
});

describe('SessionRecorder', () => {
  test('requests a keyframe to start with, and extends the last frame until the recording stops', async () => {
    expect(asked).toBe(1);
    recorder.onPacket(frame('delta', 4 * SECOND));
    recorder.onPacket(frame('keyframe', 5 * SECOND));
    recorder.onPacket(frame('delta', 5.5 * SECOND));
    vi.advanceTimersByTime(3_000);
    recorder.stop();
    const { end, files } = await ended;
    expect(end).toEqual({ why: 'stopped' });
    expect(files).toHaveLength(1);
    expect(await contents(files[0]!)).toEqual({
      width: 64,
      height: 128,
      frames: ['key 0.00 +0.50', 'delta 0.50 +3.00'],
    });
    expect(asked).toBe(1);
  });

  test('starts a new file when the phone is rotated', async () => {
    recorder.onPacket(frame('keyframe', SECOND));
    vi.advanceTimersByTime(2_000);
    recorder.onPacket({ type: 'session', width: 128, height: 64 });
    recorder.onPacket({ type: 'config', pts: 0, data: TURNED });
    recorder.onPacket(frame('keyframe', 3 * SECOND));
    vi.advanceTimersByTime(1_000);
    recorder.stop();
    const { files } = await ended;
    expect(await Promise.all(files.map(contents))).toEqual([
      { width: 64, height: 128, frames: ['key 0.00 +2.00'] },
      { width: 128, height: 64, frames: ['key 0.00 +1.00'] },
    ]);
  });

  test('resumes at a new keyframe after a lost connection and skips packets that it already has', async () => {
    recorder.onPacket(frame('keyframe', SECOND));
    recorder.onPacket(frame('delta', 2 * SECOND));
    recorder.onGap();
    expect(asked).toBe(2);
    vi.advanceTimersByTime(1_500);
    expect(asked).toBe(3);
    upright();
    recorder.onPacket(frame('keyframe', SECOND));
    recorder.onPacket(frame('delta', 2 * SECOND));
    recorder.onPacket(frame('keyframe', 6 * SECOND));
    recorder.onPacket(frame('delta', 7 * SECOND));
    recorder.stop();
    const { files } = await ended;
    const { frames } = await contents(files[0]!);
    expect(frames.slice(0, 3)).toEqual(['key 0.00 +1.00', 'delta 1.00 +4.00', 'key 5.00 +1.00']);
    expect(frames).toHaveLength(4);
  });

  test('ends the last frame at the moment when the connection is lost', async () => {
    recorder.onPacket(frame('keyframe', SECOND));
    vi.advanceTimersByTime(2_000);
    recorder.onGap();
    vi.advanceTimersByTime(5_000);
    recorder.stop();
    expect((await contents((await ended).files[0]!)).frames).toEqual(['key 0.00 +2.00']);
  });

  test('fails when no keyframe arrives', async () => {
    vi.advanceTimersByTime(60_000);
    expect(await ended).toEqual({ end: { why: 'no-keyframe' }, files: [] });
    expect(asked).toBeLessThan(30);
  });

  test('stops at the size limit of its target and keeps what was recorded', async () => {
    recorder.onPacket(frame('keyframe', SECOND, 700));
    recorder.onPacket(frame('delta', 2 * SECOND, 400));
    const { end, files } = await ended;
    expect(end).toMatchObject({ why: 'full' });
    expect((await contents(files[0]!)).frames).toHaveLength(2);
  });

  test('reports why the target cannot be written', async () => {
    const error = new Error('disk full');
    record({ ...inMemory, create: () => Promise.reject(error) });
    recorder.onPacket(frame('keyframe', SECOND));
    recorder.onPacket(frame('delta', 2 * SECOND));
    expect(await ended).toEqual({ end: { why: 'failed', error }, files: [] });
  });

  test('reports that the end of the file cannot be written', async () => {
    const error = new Error('disk full');
    record({
      ...inMemory,
      create: async () => ({ ...(await inMemory.create()), take: () => Promise.reject(error) }),
    });
    recorder.onPacket(frame('keyframe', SECOND));
    recorder.stop();
    expect(await ended).toEqual({ end: { why: 'failed', error }, files: [] });
  });
});
