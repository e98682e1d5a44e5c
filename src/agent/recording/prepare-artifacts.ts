import { constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedArtifact } from '../../bus/messages.ts';
import { PNG_SIZE_BYTES, pngSize } from '../../util/png-size.ts';
import { readVideoStart, readVideos, type VideoFile } from './indexed-videos.ts';
import {
  EVENTS_FILE,
  LOG_FILE,
  openFile,
  openFolder,
  type RecordingEnd,
  readContent,
  readEnd,
  writeEnd,
} from './recording-folder.ts';

export const INTERRUPTED =
  'the recording stopped before the session ended: the host was restarted, or its connection to the phone was lost';

const INCOMPLETE = 'a part of the video is missing: its file is damaged';

/** An artifact, whose content is `head`, then the first `bytes` bytes of the file `path`, and then `tail`. */
export interface PreparedArtifact {
  facts: RecordedArtifact;
  head: Uint8Array | null;
  path: string;
  bytes: number;
  tail: Uint8Array | null;
  /** Returns the longest start of a video that has at most `maxBytes`, or null if not even one frame fits. */
  shorten?: (maxBytes: number) => Promise<PreparedArtifact | null>;
}

export interface PreparedRecording {
  artifacts: PreparedArtifact[];
  /** Why the recording is incomplete; null: it is complete. */
  detail: string | null;
}

/**
 * Returns the artifacts of a recording that has ended. A repeated call returns the same. It needs no space on the disk,
 * which may be full. The videos are last, so that they do not use all the storage of an account that the other artifacts
 * need, too.
 * @throws Error when a file cannot be read or written
 */
export async function prepareArtifacts(folder: string, signal: AbortSignal): Promise<PreparedRecording> {
  const end = await endOf(folder);
  const { videos: numbers, screenshots } = await readContent(folder);
  const { videos, unreadable, durationMs } = await readVideos(folder, numbers, signal);
  const lastEvent = await missingEvent(folder, durationMs, end.detail);
  const artifacts: PreparedArtifact[] = [];
  for (const kind of ['events', 'log'] as const) {
    const path = join(folder, kind === 'events' ? EVENTS_FILE : LOG_FILE);
    const size = await sizeOf(path);
    if (!size) continue;
    const time = { offsetMs: 0, durationMs, width: null, height: null };
    const tail = kind === 'events' ? lastEvent : null;
    artifacts.push(wholeFile(path, { name: `${kind}.jsonl`, kind, size, ...time }, tail));
  }
  for (const { file, name, offsetMs } of screenshots) {
    const path = join(folder, file);
    const size = (await sizeOf(path)) ?? 0;
    const image = { offsetMs, durationMs: null, ...(await sizeOfImage(path)) };
    artifacts.push(wholeFile(path, { name, kind: 'screenshot', size, ...image }));
  }
  for (const video of videos) {
    const shorten = async (maxBytes: number) => {
      const start = await readVideoStart(folder, video.number, maxBytes, signal);
      return start && videoArtifact(start);
    };
    artifacts.push({ ...videoArtifact(video), shorten });
  }
  return { artifacts, detail: end.detail ?? (unreadable > 0 ? INCOMPLETE : null) };
}

const videoArtifact = ({ head, path, bytes, number: _, ...facts }: VideoFile): PreparedArtifact => ({
  head,
  path,
  bytes,
  tail: null,
  facts: { ...facts, kind: 'video', size: head.length + bytes },
});

/** `facts.size`: that of the file. */
const wholeFile = (
  path: string,
  facts: RecordedArtifact,
  tail: Uint8Array | null = null,
): PreparedArtifact => ({
  head: null,
  path,
  bytes: facts.size,
  tail,
  facts: { ...facts, size: facts.size + (tail?.length ?? 0) },
});

/** Returns how the recording ended. A process that is killed does not write that. */
async function endOf(folder: string): Promise<RecordingEnd> {
  const known = await readEnd(folder);
  if (known) return known;
  const end = { detail: INTERRUPTED };
  await writeEnd(folder, end);
  return end;
}

/**
 * Returns the last line of the events, or null if the file contains it. It does not if the process that recorded them was
 * killed, or if the disk was full.
 */
async function missingEvent(folder: string, t: number, reason: string | null): Promise<Buffer | null> {
  const { startedAt } = await openFolder(folder);
  if (startedAt === null || (await endsWithStopped(join(folder, EVENTS_FILE)))) return null;
  return Buffer.from(`${JSON.stringify({ t, type: 'stopped', reason })}\n`);
}

const MAX_LINE_BYTES = 4_096;

async function endsWithStopped(path: string): Promise<boolean> {
  await using file = await openFile(path, constants.O_RDONLY);
  if (!file) return true;
  const { size } = await file.stat();
  const length = Math.min(size, MAX_LINE_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const line = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    return (JSON.parse(line) as { type?: unknown }).type === 'stopped';
  } catch {
    return false;
  }
}

/** Size of a regular file, or null if there is none with this name. */
async function sizeOf(path: string): Promise<number | null> {
  await using file = await openFile(path, constants.O_RDONLY);
  return file ? (await file.stat()).size : null;
}

type ImageSize = Pick<RecordedArtifact, 'width' | 'height'>;

async function sizeOfImage(path: string): Promise<ImageSize> {
  await using file = await openFile(path, constants.O_RDONLY);
  const start = await file?.read(Buffer.alloc(PNG_SIZE_BYTES), 0, PNG_SIZE_BYTES, 0);
  return (start && pngSize(start.buffer)) ?? { width: null, height: null };
}
