import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LENGTH_BYTES } from '../../media/mp4/avc.ts';
import { mp4Head, TICKS_PER_SECOND } from '../../media/mp4/mp4-head.ts';
import { MAX_VIDEOS, openFile, readIndexFile, samplesFile } from './recording-folder.ts';
import { endOf, type IndexedVideo, readIndex } from './video-index.ts';

/** A video as an MP4 file: `head`, and then the first `bytes` bytes of the file `path`. */
export interface VideoFile {
  /** Number of the video in the recording. */
  number: number;
  name: string;
  head: Buffer;
  path: string;
  bytes: number;
  /** Time of the first frame, and until the end of the last one, in milliseconds. */
  offsetMs: number;
  durationMs: number;
  width: number;
  height: number;
}

export interface IndexedVideos {
  videos: VideoFile[];
  /** Number of videos without a frame, because they are damaged, and of those that exceed the limit of artifacts. */
  unreadable: number;
  /** Length of the recording, in milliseconds. */
  durationMs: number;
}

/**
 * Makes MP4 files of the videos of a recording that has ended, without reading their frames.
 * @throws Error when a file cannot be read
 */
export async function readVideos(
  folder: string,
  numbers: number[],
  signal: AbortSignal,
): Promise<IndexedVideos> {
  const result: IndexedVideos = { videos: [], unreadable: 0, durationMs: 0 };
  for (const number of numbers) {
    signal.throwIfAborted();
    const video = result.videos.length < MAX_VIDEOS ? await readVideo(folder, number, signal) : 'unreadable';
    if (video === 'unreadable') result.unreadable += 1;
    if (typeof video === 'string') continue;
    result.videos.push(video);
    result.durationMs = Math.max(result.durationMs, video.offsetMs + video.durationMs);
  }
  return result;
}

/**
 * Returns the longest start of a video that is an MP4 file of at most `maxBytes`, or null if not even one frame fits. The
 * result is the same for `maxBytes` and for the size of the result.
 * @throws Error when a file cannot be read
 */
export async function readVideoStart(
  folder: string,
  number: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<VideoFile | null> {
  const path = join(folder, samplesFile(number));
  const video = await readIntact(path, folder, number, signal);
  if (typeof video === 'string') return null;
  let start: VideoFile | null = null;
  let [fits, tooMany] = [0, video.count + 1];
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    const clockMs = video.times[count] ?? video.clockMs;
    const file = mp4File({ ...video, count, clockMs }, path, number);
    if (file.head.length + file.bytes <= maxBytes) [start, fits] = [file, count];
    else tooMany = count;
    // The tables of a long video take some milliseconds.
    await setImmediate();
    signal.throwIfAborted();
  }
  return start;
}

/** `empty`: the process was killed before the first frame was written. */
async function readVideo(
  folder: string,
  number: number,
  signal: AbortSignal,
): Promise<VideoFile | 'empty' | 'unreadable'> {
  const path = join(folder, samplesFile(number));
  const video = await readIntact(path, folder, number, signal);
  return typeof video === 'string' ? video : mp4File(video, path, number);
}

/** Returns the frames that are intact. */
async function readIntact(
  path: string,
  folder: string,
  number: number,
  signal: AbortSignal,
): Promise<IndexedVideo | 'empty' | 'unreadable'> {
  await using samples = await openFile(path, constants.O_RDONLY);
  const index = await readIndexFile(folder, number);
  const size = (await samples?.stat())?.size ?? 0;
  if (!samples || size === 0 || index.length === 0) return 'empty';
  const video = readIndex(index, size);
  while (video && video.count > 0 && !(await isIntact(samples, video, video.count - 1))) {
    signal.throwIfAborted();
    video.count -= 1;
  }
  return video && video.count > 0 ? video : 'unreadable';
}

function mp4File(video: IndexedVideo, path: string, number: number): VideoFile {
  const { width, height, configuration, count, ends, times, keys } = video;
  const startMs = times[0]!;
  const endMs = endOf(video);
  const ticks = new Float64Array(count);
  let last = -1;
  for (let at = 0; at < count; at += 1) {
    last = Math.max(last + 1, ticksOf(times[at]! - startMs));
    ticks[at] = last;
  }
  const endTicks = Math.max(last + 1, ticksOf(endMs - startMs));
  return {
    number,
    name: `video-${number}.mp4`,
    head: mp4Head({ width, height, configuration, samples: { count, ends, ticks, keys }, endTicks }),
    path,
    bytes: ends[count - 1]!,
    width,
    height,
    offsetMs: Math.round(startMs),
    durationMs: Math.max(1, Math.round(endMs - startMs)),
  };
}

const ticksOf = (ms: number): number => Math.round((ms * TICKS_PER_SECOND) / 1000);

/**
 * Returns whether the lengths of the NAL units of a frame add up to its size. After a power failure, there may be zeros
 * instead of the last frames.
 */
async function isIntact(samples: FileHandle, { ends }: IndexedVideo, at: number): Promise<boolean> {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  const end = ends[at]!;
  let position = at === 0 ? 0 : ends[at - 1]!;
  while (position < end) {
    const { bytesRead } = await samples.read(bytes, 0, LENGTH_BYTES, position);
    const length = bytes.readUInt32BE();
    if (bytesRead < LENGTH_BYTES || length === 0) return false;
    position += LENGTH_BYTES + length;
  }
  return position === end;
}
