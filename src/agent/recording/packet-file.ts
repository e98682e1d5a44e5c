import { readSync } from 'node:fs';
import {
  decodePacket,
  PACKET_HEADER_BYTES,
  type StreamPacket,
} from '../../contract/sockets/stream-packets.ts';

/**
 * A packet file contains the packets of the stream in layout v4, one after the other, as the phone sent them. Between
 * them are clock records, which contain the time of the recording at which the following packets arrived. A clock
 * record has the layout of a session packet with one more flag. A process that is killed leaves at most one incomplete
 * record, at the end.
 */
const CLOCK = 0x90;
const CLOCK_BYTES = PACKET_HEADER_BYTES;

/** Larger than any frame of a phone. A header that declares more is damaged. */
const MAX_PACKET_BYTES = 64 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

export type PacketRecord = StreamPacket | { type: 'clock'; ms: number };

/** Returns a clock record. `ms`: time since the start of the recording. */
export function clockRecord(ms: number): Uint8Array {
  const bytes = new Uint8Array(CLOCK_BYTES);
  bytes[0] = CLOCK;
  new DataView(bytes.buffer).setFloat64(4, ms);
  return bytes;
}

/** Returns the time in the last clock record of a file that has only clock records, or 0. `bytes`: the file's end. */
export function lastClock(bytes: Uint8Array, fileSize: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const firstByte = fileSize - bytes.length;
  const end = fileSize - (fileSize % CLOCK_BYTES) - firstByte;
  for (let at = end - CLOCK_BYTES; at >= 0; at -= CLOCK_BYTES) {
    // After a power failure, there may be zeros instead of the last records.
    const ms = view.getUint8(at) === CLOCK ? view.getFloat64(at + 4) : Number.NaN;
    if (Number.isFinite(ms) && ms >= 0) return ms;
  }
  return 0;
}

/**
 * Reads the records in order, up to the last complete one. It reads synchronously, because it runs in a worker thread.
 */
export function* readRecords(descriptor: number): Generator<PacketRecord> {
  const bytes = new Reader(descriptor);
  for (;;) {
    const header = bytes.peek(PACKET_HEADER_BYTES);
    if (!header) return;
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    if (header[0] === CLOCK) {
      yield { type: 'clock', ms: view.getFloat64(4) };
      bytes.skip(CLOCK_BYTES);
      continue;
    }
    const isSession = (header[0]! & 0x80) !== 0;
    const length = isSession ? PACKET_HEADER_BYTES : PACKET_HEADER_BYTES + view.getUint32(8);
    // After a power failure, some file systems show zeros where the last blocks were not written.
    const isDamaged = length > MAX_PACKET_BYTES || (!isSession && length === PACKET_HEADER_BYTES);
    const packet = isDamaged ? null : bytes.peek(length);
    if (!packet) return;
    yield decodePacket(packet);
    bytes.skip(length);
  }
}

/** Reads a file from its start, in large blocks. */
class Reader {
  private readonly descriptor: number;
  private buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  private start = 0;
  private end = 0;
  private position = 0;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** The next bytes, or null if the file has fewer. */
  peek(length: number): Uint8Array | null {
    if (this.end - this.start < length) this.fill(length);
    return this.end - this.start < length ? null : this.buffer.subarray(this.start, this.start + length);
  }

  skip(length: number): void {
    this.start += length;
  }

  private fill(length: number): void {
    const rest = this.buffer.subarray(this.start, this.end);
    const buffer = Buffer.allocUnsafeSlow(Math.max(READ_BYTES, length));
    rest.copy(buffer);
    this.buffer = buffer;
    this.end = rest.length;
    this.start = 0;
    while (this.end < length) {
      const free = buffer.length - this.end;
      const read = readSync(this.descriptor, buffer, this.end, free, this.position);
      if (read === 0) return;
      this.position += read;
      this.end += read;
    }
  }
}
