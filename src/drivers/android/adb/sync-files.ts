/**
 * Reads files and folders over a socket of the phone's `sync:` service. Source: AOSP adb/SYNC.TXT and
 * file_sync_protocol.h. Numbers are little-endian. The requests of version 2 (`STA2`, `LIS2`) have sizes of 64 bits.
 */
import type { Socket } from 'node:net';
import { AdbError, readExactly } from './adb-socket.ts';

export interface SyncEntry {
  name: string;
  /** Type and permissions, as in stat(2). */
  mode: number;
  /** In bytes. Before version 2, of a file of 4 GiB and more only the lower 32 bits. */
  size: number;
  /** Seconds since 1970. */
  modified: number;
}

export type SyncStat = Omit<SyncEntry, 'name'>;

/** The features of a phone's daemon that version 2 requires: Android 11 and newer. */
export const SYNC_V2_FEATURES = ['stat_v2', 'ls_v2'];

/** Lengths of the answers after their id of four letters. */
const STAT_BYTES = 12;
const STAT2_BYTES = 68;
/** NAME_MAX of Linux is 255 bytes; some file systems allow 255 characters of up to 4 bytes. */
const MAX_NAME_BYTES = 1_020;
/** Maximum length of a DATA chunk (SYNC_DATA_MAX). */
export const MAX_DATA_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 64 * 1024;

/** Returns null for a path that does not exist. @throws AdbError */
export async function statPath(socket: Socket, path: string, isV2: boolean): Promise<SyncStat | null> {
  const id = isV2 ? 'LST2' : 'STAT';
  send(socket, id, path);
  await expectId(socket, id);
  const facts = isV2
    ? readFacts2(await readExactly(socket, STAT2_BYTES))
    : readFacts(await readExactly(socket, STAT_BYTES));
  return facts.mode === 0 ? null : facts;
}

/** Yields the entries of a folder, without `.` and `..`; none for a path that is not a folder. @throws AdbError */
export async function* listFolder(socket: Socket, path: string, isV2: boolean): AsyncGenerator<SyncEntry> {
  send(socket, isV2 ? 'LIS2' : 'LIST', path);
  for (;;) {
    const id = (await readExactly(socket, 4)).toString('latin1');
    const header = await readExactly(socket, (isV2 ? STAT2_BYTES : STAT_BYTES) + 4);
    if (id === 'DONE') return;
    if (id !== (isV2 ? 'DNT2' : 'DENT')) throw new AdbError('the phone sent an invalid list of files');
    const length = header.readUInt32LE(header.length - 4);
    if (length > MAX_NAME_BYTES) throw new AdbError('the phone sent an invalid name of a file');
    const name = (await readExactly(socket, length)).toString('utf8');
    if (name !== '.' && name !== '..') yield { name, ...(isV2 ? readFacts2(header) : readFacts(header)) };
  }
}

/** Yields the bytes of a file. @throws AdbError with the phone's message */
export async function* pullFile(socket: Socket, path: string): AsyncGenerator<Uint8Array> {
  send(socket, 'RECV', path);
  for (;;) {
    const header = await readExactly(socket, 8);
    const id = header.toString('latin1', 0, 4);
    const length = header.readUInt32LE(4);
    if (id === 'DONE') return;
    if (id === 'FAIL') {
      throw new AdbError(`the phone could not read ${path}: ${await readSyncMessage(socket, length)}`);
    }
    if (id !== 'DATA' || length > MAX_DATA_BYTES) throw new AdbError('the phone sent an invalid file');
    yield await readExactly(socket, length);
  }
}

/** The start of every request and of most answers: an id of four letters, and a length or a time. */
export function syncHeader(id: string, word: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.write(id, 'latin1');
  bytes.writeUInt32LE(word, 4);
  return bytes;
}

/** Reads the message of a FAIL. */
export async function readSyncMessage(socket: Socket, length: number): Promise<string> {
  return (await readExactly(socket, Math.min(length, MAX_MESSAGE_BYTES))).toString('utf8');
}

function send(socket: Socket, id: string, path: string): void {
  const name = Buffer.from(path);
  socket.write(Buffer.concat([syncHeader(id, name.length), name]));
}

async function expectId(socket: Socket, id: string): Promise<void> {
  const answer = (await readExactly(socket, 4)).toString('latin1');
  if (answer !== id) throw new AdbError(`the phone answered ${JSON.stringify(answer)} to ${id}`);
}

const readFacts = (bytes: Buffer): SyncStat => ({
  mode: bytes.readUInt32LE(0),
  size: bytes.readUInt32LE(4),
  modified: bytes.readUInt32LE(8),
});

/** `error`, `dev`, `ino`, `mode`, `nlink`, `uid`, `gid`, `size`, `atime`, `mtime`, `ctime`. */
function readFacts2(bytes: Buffer): SyncStat {
  if (bytes.readUInt32LE(0) !== 0) return { mode: 0, size: 0, modified: 0 };
  return {
    mode: bytes.readUInt32LE(20),
    size: Number(bytes.readBigUInt64LE(36)),
    modified: Number(bytes.readBigInt64LE(52)),
  };
}
