/**
 * The phone's messages on the control socket, big-endian. Source: scrcpy server/.../control/DeviceMessageWriter.java
 * (3.3.3).
 */
export type DeviceMessage = { type: 'clipboard'; text: string } | { type: 'clipboard-set'; sequence: bigint };

const CLIPBOARD = 0;
const ACK_CLIPBOARD = 1;
const UHID_OUTPUT = 2;
/** DeviceMessageWriter.MESSAGE_MAX_SIZE. */
const MAX_BYTES = 1 << 18;

/** Splits the phone's data on a control socket into messages. */
export class DeviceMessageReader {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws RangeError when the bytes are malformed. The socket cannot be used any more. */
  *push(chunk: Buffer): Generator<DeviceMessage> {
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (this.#rest.length > 0) {
      const length = messageLength(this.#rest);
      if (length > MAX_BYTES)
        throw new RangeError(`a message from the phone declares ${length} bytes, which exceeds the limit`);
      if (this.#rest.length < length) return;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (bytes[0] === CLIPBOARD) yield { type: 'clipboard', text: bytes.toString('utf8', 5) };
      else if (bytes[0] === ACK_CLIPBOARD)
        yield { type: 'clipboard-set', sequence: bytes.readBigUInt64BE(1) };
    }
  }
}

/** The message's length, or, while that is unknown, the number of bytes needed to determine it. */
function messageLength(bytes: Buffer): number {
  switch (bytes[0]) {
    case CLIPBOARD:
      return bytes.length < 5 ? 5 : 5 + bytes.readUInt32BE(1);
    case ACK_CLIPBOARD:
      return 9;
    case UHID_OUTPUT:
      return bytes.length < 5 ? 5 : 5 + bytes.readUInt16BE(3);
    default:
      throw new RangeError(`a message from the phone has the unknown type ${bytes[0]}`);
  }
}
