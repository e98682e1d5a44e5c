import { appendFile, constants, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedArtifact } from '../../bus/messages.ts';
import { type Conversion, convertVideo, type VideoFile } from './convert-video.ts';
import {
  EVENTS_FILE,
  LOG_FILE,
  MAX_VIDEOS,
  openFile,
  openFolder,
  type RecordingEnd,
  readContent,
  readEnd,
  readJson,
  writeEnd,
} from './recording-folder.ts';

/** Written when all videos are complete. Only then are the packets deleted. */
const VIDEOS_FILE = 'videos.json';

export const INTERRUPTED =
  'the recording stopped before the session ended: the host was restarted, or its connection to the phone was lost';

const INCOMPLETE = `a part of the video is missing: its frames are damaged, or need more than ${MAX_VIDEOS} files`;

export interface PreparedArtifact extends RecordedArtifact {
  /** Path of the content. */
  path: string;
}

export interface PreparedRecording {
  artifacts: PreparedArtifact[];
  /** Why the recording is incomplete; null: it is complete. */
  detail: string | null;
}

/**
 * Turns the files of a recording that has ended into its artifacts. A repeated call continues where an earlier one was
 * interrupted. @throws Error when a file cannot be read or written
 */
export async function prepareArtifacts(folder: string, signal: AbortSignal): Promise<PreparedRecording> {
  const end = await endOf(folder);
  const { videos, unreadable, durationMs } = await videosOf(folder, signal);
  await endEvents(folder, durationMs, end.detail);
  const { screenshots } = await readContent(folder);
  const artifacts: PreparedArtifact[] = videos.map(({ name, ...facts }) => ({
    ...{ name, kind: 'video' as const, ...facts, path: join(folder, name) },
  }));
  for (const kind of ['events', 'log'] as const) {
    const path = join(folder, kind === 'events' ? EVENTS_FILE : LOG_FILE);
    const size = await sizeOf(path);
    if (!size) continue;
    artifacts.push({
      name: `${kind}.jsonl`,
      kind,
      size,
      offsetMs: 0,
      durationMs,
      width: null,
      height: null,
      path,
    });
  }
  for (const { file, name, offsetMs } of screenshots) {
    const path = join(folder, file);
    const size = (await sizeOf(path)) ?? 0;
    artifacts.push({
      name,
      kind: 'screenshot',
      size,
      offsetMs,
      durationMs: null,
      ...(await sizeOfImage(path)),
      path,
    });
  }
  return { artifacts, detail: end.detail ?? (unreadable > 0 ? INCOMPLETE : null) };
}

/** Returns how the recording ended. A process that is killed does not write that. */
async function endOf(folder: string): Promise<RecordingEnd> {
  const known = await readEnd(folder);
  if (known) return known;
  const end = { detail: INTERRUPTED };
  await writeEnd(folder, end);
  return end;
}

async function videosOf(folder: string, signal: AbortSignal): Promise<Conversion> {
  const path = join(folder, VIDEOS_FILE);
  const known = (await readJson(path)) as unknown as Conversion | null;
  const { packets } = await readContent(folder);
  const conversion = known ?? (await convertVideo({ folder, packets }, signal));
  if (!known) {
    await writeFile(`${path}.part`, JSON.stringify(conversion), { mode: 0o600 });
    await rename(`${path}.part`, path);
  }
  for (const file of packets) await rm(join(folder, file), { force: true });
  return conversion;
}

/** Adds the last line of the events if the process that recorded them was killed. */
async function endEvents(folder: string, t: number, reason: string | null): Promise<void> {
  const { startedAt } = await openFolder(folder);
  if (startedAt === null) return;
  const path = join(folder, EVENTS_FILE);
  if (await endsWithStopped(path)) return;
  await appendFile(path, `${JSON.stringify({ t, type: 'stopped', reason })}\n`);
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

type ImageSize = Pick<VideoFile, 'width' | 'height'> | { width: null; height: null };

/** A PNG begins with 8 bytes of signature and the header chunk: length, type, width, height (RFC 2083, 4.1.1). */
async function sizeOfImage(path: string): Promise<ImageSize> {
  await using file = await openFile(path, constants.O_RDONLY);
  if (!file) return { width: null, height: null };
  const { buffer, bytesRead } = await file.read(Buffer.alloc(24), 0, 24, 0);
  if (bytesRead < 24 || buffer.readUInt32BE(0) !== 0x89504e47) return { width: null, height: null };
  return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
}
