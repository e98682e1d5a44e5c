/**
 * Messages between an adb server and the daemon on a phone: a header of six little-endian 32-bit words, then the
 * payload. Source: AOSP packages/modules/adb/protocol.txt and adb.h.
 */

const code = (name: string) => Buffer.from(name, 'latin1').readUInt32LE(0);
/** The first message of both ends. `arg0` is the version, `arg1` the largest payload that the sender accepts. */
export const CNXN = code('CNXN');
/** `arg0` is the sender's stream id. The payload is a service name and a zero byte. */
export const OPEN = code('OPEN');
/** `arg0` is the sender's stream id, `arg1` the receiver's. The stream is open, or the last WRTE is acknowledged. */
export const OKAY = code('OKAY');
export const WRTE = code('WRTE');
/** `arg0` is 0 if the stream was never open. */
export const CLSE = code('CLSE');

/** A_VERSION in adb.h. */
export const VERSION = 0x0100_0001;
/** From this version on, the checksum is ignored (A_VERSION_SKIP_CHECKSUM). */
const SKIP_CHECKSUM = 0x0100_0001;
export const MIN_VERSION = 0x0100_0000;
/**
 * Largest payload that is accepted, in bytes. Android's own limit is four times as large; this one bounds what a
 * tunnel buffers.
 */
export const MAX_PAYLOAD = 256 * 1024;
/** MAX_PAYLOAD_V1: the payload size that every end must accept. */
export const MIN_PAYLOAD = 4096;
const HEADER_BYTES = 24;

export interface AdbMessage {
  command: number;
  arg0: number;
  arg1: number;
  payload: Buffer;
}

/**
 * The other end sent something that the protocol does not allow, which "MUST result in the closing of the remote
 * connection".
 */
export class AdbProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdbProtocolError';
  }
}

/** `version` is the version that both ends agreed on, or the sender's own in CNXN. */
export function encodeMessage({ command, arg0, arg1, payload }: AdbMessage, version: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes.writeUInt32LE(command, 0);
  bytes.writeUInt32LE(arg0, 4);
  bytes.writeUInt32LE(arg1, 8);
  bytes.writeUInt32LE(payload.length, 12);
  bytes.writeUInt32LE(command === CNXN || version < SKIP_CHECKSUM ? checksum(payload) : 0, 16);
  bytes.writeUInt32LE(magic(command), 20);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

const magic = (command: number) => (command ^ 0xffff_ffff) >>> 0;

/** The sum of the bytes, which protocol.txt calls data_crc32. */
function checksum(payload: Buffer): number {
  let sum = 0;
  for (const byte of payload) sum += byte;
  return sum >>> 0;
}

/** Splits incoming data, which arrives in chunks of any size, into messages. */
export class AdbMessageReader {
  /** The version that both ends agreed on. Older versions verify the checksum. */
  version = VERSION;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #payload: Buffer | null = null;
  #payloadFilled = 0;

  /** @throws AdbProtocolError */
  *push(bytes: Uint8Array): Generator<AdbMessage> {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (rest.length > 0) {
      rest = this.#payload ? rest : this.#fillHeader(rest);
      if (!this.#payload) return;
      const piece = rest.subarray(0, this.#payload.length - this.#payloadFilled);
      piece.copy(this.#payload, this.#payloadFilled);
      this.#payloadFilled += piece.length;
      rest = rest.subarray(piece.length);
      if (this.#payloadFilled < this.#payload.length) return;
      yield this.#finish(this.#payload);
    }
  }

  #fillHeader(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, HEADER_BYTES - this.#headerFilled);
    piece.copy(this.#header, this.#headerFilled);
    this.#headerFilled += piece.length;
    if (this.#headerFilled === HEADER_BYTES) {
      const length = this.#header.readUInt32LE(12);
      if (this.#header.readUInt32LE(20) !== magic(this.#header.readUInt32LE(0)))
        throw new AdbProtocolError('a message has an invalid magic number');
      if (length > MAX_PAYLOAD)
        throw new AdbProtocolError(
          `a payload of ${length} bytes exceeds the agreed maximum of ${MAX_PAYLOAD} bytes`,
        );
      this.#payload = Buffer.allocUnsafe(length);
      this.#payloadFilled = 0;
    }
    return bytes.subarray(piece.length);
  }

  #finish(payload: Buffer): AdbMessage {
    const command = this.#header.readUInt32LE(0);
    this.#headerFilled = 0;
    this.#payload = null;
    const mustMatch = command !== CNXN && this.version < SKIP_CHECKSUM;
    if (mustMatch && this.#header.readUInt32LE(16) !== checksum(payload))
      throw new AdbProtocolError('a payload does not match its checksum');
    return { command, arg0: this.#header.readUInt32LE(4), arg1: this.#header.readUInt32LE(8), payload };
  }
}
