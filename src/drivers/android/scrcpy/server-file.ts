import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Log } from '../../../util/log.ts';
import { writeFileAtomically } from '../../../util/write-file-atomically.ts';

/** The scrcpy release whose protocol this driver uses. The server rejects clients of other versions. */
export const SCRCPY_VERSION = '3.3.3';
export const SCRCPY_SERVER_SHA256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0';

const RELEASE_URL = `https://github.com/Genymobile/scrcpy/releases/download/v${SCRCPY_VERSION}/scrcpy-server-v${SCRCPY_VERSION}`;
/** An npm package that contains the identical file, for machines that can reach an npm registry but not GitHub. */
const NPM_PACKAGE = '@midscene/android@1.7.3';
const NPM_PATH = 'package/bin/scrcpy-server';
const DOWNLOAD_TIMEOUT_MS = 60_000;
/** The file has 90 KB. The limit leaves room for a package around it. */
const MAX_BYTES = 8 * 1024 * 1024;

export interface ScrcpyServerFile {
  content: Buffer;
  sha256: string;
}

export interface ScrcpyServerOptions {
  dataDir: string;
  /** Path of the operator's own file; null: the file in the data folder, which is fetched when it is missing. */
  file: string | null;
  log: Log;
  /** Expected SHA-256 of the file. Set by tests, which have no Android to run it on. */
  sha256?: string | undefined;
}

/** Pause before another attempt to load the file after a failure. */
const RETRY_MS = 30_000;

/** Returns a function that loads the file when the first phone needs it, and then returns the cached file. */
export function cachedScrcpyServer(
  options: ScrcpyServerOptions,
  closing: AbortSignal,
): (signal: AbortSignal) => Promise<ScrcpyServerFile> {
  let file: Promise<ScrcpyServerFile> | null = null;
  return async (signal) => {
    signal.throwIfAborted();
    if (!file) {
      const loading = loadScrcpyServer(options, closing);
      file = loading;
      loading.catch(() => {
        setTimeout(() => {
          if (file === loading) file = null;
        }, RETRY_MS).unref();
      });
    }
    return file;
  };
}

/**
 * Loads the program that scrcpy runs on the phone. It is not part of this repository. It is fetched once, and its
 * hash is verified each time, whatever its source.
 * @throws Error whose message says what to do.
 */
export async function loadScrcpyServer(
  options: ScrcpyServerOptions,
  signal: AbortSignal,
): Promise<ScrcpyServerFile> {
  const { sha256 = SCRCPY_SERVER_SHA256 } = options;
  const check = (content: Buffer) => createHash('sha256').update(content).digest('hex') === sha256;
  if (options.file) {
    const content = await readFile(options.file).catch((error: Error) => {
      throw new Error(`PHONEBOOTH_SCRCPY_SERVER cannot be read: ${error.message}`);
    });
    if (check(content)) return { content, sha256 };
    throw new Error(
      `PHONEBOOTH_SCRCPY_SERVER is not scrcpy-server v${SCRCPY_VERSION} (its SHA-256 differs); download ${RELEASE_URL}`,
    );
  }
  const kept = join(options.dataDir, `scrcpy-server-v${SCRCPY_VERSION}`);
  const present = await readFile(kept).catch(() => null);
  if (present && check(present)) return { content: present, sha256 };
  for (const fetchFrom of [fetchRelease, fetchFromNpm]) {
    try {
      const content = await fetchFrom(AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]));
      if (!check(content)) throw new Error('its SHA-256 differs');
      await writeFileAtomically(kept, content);
      return { content, sha256 };
    } catch (error) {
      signal.throwIfAborted();
      options.log.info(
        { err: error, source: fetchFrom.name },
        'scrcpy-server could not be downloaded from a source',
      );
    }
  }
  throw new Error(
    `scrcpy-server v${SCRCPY_VERSION} is missing and could not be downloaded; download ${RELEASE_URL} ` +
      'and set PHONEBOOTH_SCRCPY_SERVER to its path',
  );
}

async function fetchRelease(signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(RELEASE_URL, { signal });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}`);
  const content = Buffer.from(await response.arrayBuffer());
  if (content.length > MAX_BYTES) throw new Error('the file is too large');
  return content;
}

/** `npm pack` does not run the package's scripts; it only downloads the archive. */
async function fetchFromNpm(signal: AbortSignal): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-scrcpy-'));
  try {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, NPM_PACKAGE],
      { signal, cwd: folder },
    );
    const archive = await readFile(join(folder, stdout.trim().split('\n').at(-1) ?? ''));
    const tar = await promisify(gunzip)(archive, { maxOutputLength: MAX_BYTES });
    return entryOf(tar, NPM_PATH);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const BLOCK = 512;

/**
 * Extracts one file from a tar archive: headers of 512 bytes, the name first, the size in octal at offset 124 (POSIX
 * ustar).
 */
export function entryOf(tar: Buffer, name: string): Buffer {
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    const end = tar.indexOf(0, at);
    const found = tar.toString('utf8', at, Math.min(end < 0 ? at + 100 : end, at + 100));
    if (found === name) return tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`the package does not contain ${name}`);
}
