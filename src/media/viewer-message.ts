/** First byte of a binary message in one frame (RFC 6455, section 5.2): FIN and opcode 2. */
const BINARY = 0x82;
/** Largest payload length in 7 bits, and values of these bits for a length in the next 2 or 8 bytes. */
const MAX_SHORT = 125;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MAX_16 = 0xffff;

const messages = new WeakMap<Uint8Array, Buffer>();

/**
 * Returns memory for a packet, uninitialized, with its WebSocket message around it, so that messageOf() does not copy
 * the packet.
 */
export function allocatePacket(length: number): Buffer {
  const headerBytes = length <= MAX_SHORT ? 2 : length <= MAX_16 ? 4 : 10;
  const message = Buffer.allocUnsafeSlow(headerBytes + length);
  message[0] = BINARY;
  if (length <= MAX_SHORT) message[1] = length;
  else if (length <= MAX_16) {
    message[1] = LENGTH_16;
    message.writeUInt16BE(length, 2);
  } else {
    message[1] = LENGTH_64;
    message.writeBigUInt64BE(BigInt(length), 2);
  }
  const packet = message.subarray(headerBytes);
  messages.set(packet, message);
  return packet;
}

/**
 * Returns the WebSocket message that carries a packet from a server: one unmasked, uncompressed binary frame
 * (RFC 6455, section 5.2). All viewers share the message of a packet.
 */
export function messageOf(packet: Uint8Array): Buffer {
  let message = messages.get(packet);
  if (!message) {
    const copy = allocatePacket(packet.length);
    copy.set(packet);
    message = messages.get(copy)!;
    messages.set(packet, message);
  }
  return message;
}
