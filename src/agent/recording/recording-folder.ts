import {
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_ARTIFACTS_PER_SESSION } from '../../contract/http/artifact.ts';
import { endOf, readIndex } from './video-index.ts';

/** Name of a recording's folder: the session and the epoch of its lease. */
const FOLDER = /^([\w-]{1,128})\.(\d{1,15})$/;
const VIDEO = /^video-(\d{1,4})\.(?:samples|index)$/;
/** The time of a screenshot, in milliseconds from the start of the recording, is in its file name. */
const SCREENSHOT = /^screenshot-(\d{1,3})\.(\d{1,12})\.png$/;
const MAX_META_BYTES = 4_096;
/** The first line of the events is shorter than this. */
const MAX_FIRST_LINE_BYTES = 1_024;
const MAX_LAST_LINE_BYTES = 512 * 1024;
/** Maximum size of the index of one video. */
export const MAX_INDEX_BYTES = 32 * 1024 * 1024;

export const MAX_SCREENSHOTS = 100;
/** The other artifacts are the screenshots, the events and the log. */
export const MAX_VIDEOS = MAX_ARTIFACTS_PER_SESSION - MAX_SCREENSHOTS - 2;

export const EVENTS_FILE = 'events.jsonl';
export const LOG_FILE = 'log.jsonl';
const META_FILE = 'meta.json';
const END_FILE = 'end.json';
/** A file of this size becomes the end, so that a full disk can still store why the recording stopped. */
const END_SPACE_FILE = 'end.json.part';
const END_BYTES = 1_024;

export interface RecordedLease {
  sessionId: string;
  epoch: number;
}

/** How a recording ended. `detail`: why it is incomplete; null: it is complete. */
export interface RecordingEnd {
  detail: string | null;
}

export const folderNameOf = ({ sessionId, epoch }: RecordedLease): string => `${sessionId}.${epoch}`;

/** Returns null when the folder is not a recording. */
export function leaseOfFolder(name: string): RecordedLease | null {
  const [, sessionId, epoch] = FOLDER.exec(name) ?? [];
  return sessionId === undefined ? null : { sessionId, epoch: Number(epoch) };
}

export const samplesFile = (number: number): string => `video-${number}.samples`;
export const indexFile = (number: number): string => `video-${number}.index`;

/** The name of the file in the folder, and that of the artifact. */
export const screenshotFile = (number: number, offsetMs: number): { file: string; name: string } => ({
  file: `screenshot-${number}.${offsetMs}.png`,
  name: `screenshot-${number}.png`,
});

export interface Screenshot {
  /** Name of the file in the folder. */
  file: string;
  /** Name of the artifact. */
  name: string;
  number: number;
  offsetMs: number;
}

/** The files of a recording that this host wrote. Anything else in the folder is ignored. */
export interface RecordingContent {
  /** The numbers of the videos, in the order of time. */
  videos: number[];
  screenshots: Screenshot[];
  /** Size of all files of the folder, bytes. */
  bytes: number;
}

/** Reads the names and the sizes of the regular files in a recording's folder. Symbolic links are ignored. */
export async function readContent(folder: string): Promise<RecordingContent> {
  const videos = new Set<number>();
  const screenshots: Screenshot[] = [];
  let bytes = 0;
  for (const file of await readdir(folder)) {
    const facts = await lstat(join(folder, file));
    if (!facts.isFile()) continue;
    bytes += facts.size;
    const video = VIDEO.exec(file);
    if (video) videos.add(Number(video[1]));
    const shot = SCREENSHOT.exec(file);
    if (!shot) continue;
    const [number, offsetMs] = [Number(shot[1]), Number(shot[2])];
    screenshots.push({ ...screenshotFile(number, offsetMs), file, number, offsetMs });
  }
  screenshots.sort((one, other) => one.number - other.number);
  return { videos: [...videos].sort((one, other) => one - other), screenshots, bytes };
}

/** The names of the folders in `folder` that are recordings. */
export async function listRecordings(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && FOLDER.test(entry.name)).map(({ name }) => name);
}

/** What an earlier process recorded of the same lease. */
export interface EarlierParts {
  /** Wall clock time of the first frame, in milliseconds since 1970; null: no frame was recorded. */
  startedAt: number | null;
  /** Time of the recording at which the last part ended, in milliseconds. */
  endMs: number;
  /** Number of the last video, or 0. */
  videos: number;
  screenshots: number;
  bytes: number;
  eventBytes: number;
  logBytes: number;
  end: RecordingEnd | null;
}

/** Creates the folder of a recording, or opens that of an earlier process and removes incomplete lines. */
export async function openFolder(folder: string): Promise<EarlierParts> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readMeta(folder)) === null) {
    await writeFile(join(folder, META_FILE), JSON.stringify({ version: 1, createdAt: Date.now() }), {
      mode: 0o600,
    });
    await writeFile(join(folder, END_SPACE_FILE), ' '.repeat(END_BYTES), { mode: 0o600 });
  }
  const eventBytes = await truncateLastLine(join(folder, EVENTS_FILE));
  const logBytes = await truncateLastLine(join(folder, LOG_FILE));
  const { videos, screenshots, bytes } = await readContent(folder);
  return {
    startedAt: await readStart(join(folder, EVENTS_FILE)),
    endMs: await endOfVideos(folder, videos),
    videos: videos.at(-1) ?? 0,
    screenshots: screenshots.at(-1)?.number ?? 0,
    bytes,
    eventBytes,
    logBytes,
    end: await readEnd(folder),
  };
}

/** Wall clock time at which the recording began, in milliseconds since 1970; null: the file is missing or invalid. */
export async function readMeta(folder: string): Promise<{ createdAt: number } | null> {
  const { createdAt } = (await readJson(join(folder, META_FILE))) ?? {};
  return typeof createdAt === 'number' && Number.isFinite(createdAt) ? { createdAt } : null;
}

export async function readEnd(folder: string): Promise<RecordingEnd | null> {
  const end = await readJson(join(folder, END_FILE));
  if (!end) return null;
  return { detail: typeof end.detail === 'string' ? end.detail : null };
}

export async function writeEnd(folder: string, end: RecordingEnd): Promise<void> {
  // Blanks after the value are valid JSON. Without O_TRUNC, the blocks of the file stay allocated.
  const flag = constants.O_WRONLY | constants.O_CREAT;
  const path = join(folder, END_SPACE_FILE);
  await writeFile(path, JSON.stringify(end).padEnd(END_BYTES), { mode: 0o600, flag });
  await rename(path, join(folder, END_FILE));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Returns the object in a small JSON file, or null if there is none. */
async function readJson(file: string): Promise<Record<string, unknown> | null> {
  try {
    const facts = await lstat(file);
    if (!facts.isFile() || facts.size > MAX_META_BYTES) return null;
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes an incomplete last line, to which a new line would otherwise be appended. A killed process may leave one. Returns the size of the file. */
async function truncateLastLine(path: string): Promise<number> {
  await using file = await openFile(path, constants.O_RDWR);
  if (!file) return 0;
  const { size } = await file.stat();
  const length = Math.min(size, MAX_LAST_LINE_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
  const newSize = size - length + end;
  if (end < length) await file.truncate(newSize);
  return newSize;
}

/** Returns the time in the first line of the events. */
async function readStart(path: string): Promise<number | null> {
  await using file = await openFile(path, constants.O_RDONLY);
  if (!file) return null;
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(MAX_FIRST_LINE_BYTES),
    0,
    MAX_FIRST_LINE_BYTES,
    0,
  );
  try {
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    const time = Date.parse((JSON.parse(line) as { at: string }).at);
    return Number.isNaN(time) ? null : time;
  } catch {
    return null;
  }
}

/** Returns the time at which the last video ends, in milliseconds since the start of the recording. */
async function endOfVideos(folder: string, videos: number[]): Promise<number> {
  for (const number of videos.toReversed()) {
    const video = readIndex(await readIndexFile(folder, number), Number.POSITIVE_INFINITY);
    if (video) return endOf(video);
  }
  return 0;
}

/** Returns the content of the index of a video, which is empty if there is none. */
export async function readIndexFile(folder: string, number: number): Promise<Buffer> {
  await using file = await openFile(join(folder, indexFile(number)), constants.O_RDONLY);
  if (!file) return Buffer.alloc(0);
  const bytes = Buffer.allocUnsafe(Math.min(MAX_INDEX_BYTES, (await file.stat()).size));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Opens a regular file. Returns null if there is none with this name. */
export async function openFile(path: string, flags: number): Promise<FileHandle | null> {
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return facts?.isFile() ? open(path, flags | constants.O_NOFOLLOW) : null;
}
