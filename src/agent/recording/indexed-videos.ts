import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { LENGTH_BYTES } from '../../media/mp4/avc.ts';
import { mp4Head, TICKS_PER_SECOND } from '../../media/mp4/mp4-head.ts';
import { MAX_VIDEOS, openFile, readIndexFile, samplesFile } from './recording-folder.ts';
import { endOf, type IndexedVideo, readIndex } from './video-index.ts';

/** A video as an MP4 file: `head`, and then the first `bytes` bytes of the file `path`. */
export interface VideoFile {
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

/** `empty`: the process was killed before the first frame was written. */
async function readVideo(
  folder: string,
  number: number,
  signal: AbortSignal,
): Promise<VideoFile | 'empty' | 'unreadable'> {
  const path = join(folder, samplesFile(number));
  await using samples = await openFile(path, constants.O_RDONLY);
  const index = await readIndexFile(folder, number);
  const size = (await samples?.stat())?.size ?? 0;
  if (!samples || size === 0 || index.length === 0) return 'empty';
  const video = readIndex(index, size);
  while (video && video.count > 0 && !(await isIntact(samples, video, video.count - 1))) {
    signal.throwIfAborted();
    video.count -= 1;
  }
  return video && video.count > 0 ? mp4File(video, path, number) : 'unreadable';
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
    name: `video-${number}.mp4`,
    head: mp4Head({ width, height, configuration, samples: { count, ends, ticks, keys }, endTicks }),
    ...{ path, bytes: ends[count - 1]!, width, height },
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
