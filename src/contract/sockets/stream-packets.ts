/**
 * The stream socket's binary messages: the packets of scrcpy's video socket, one per message, big-endian.
 * Layout v4 is used internally (from agent to gateway), and for a viewer that does not request v3.
 * Source: scrcpy's doc/develop.md ("Video and audio streams") and app/src/demuxer.c.
 */

/** Subprotocols that a viewer may request, in the server's order of preference. */
export const STREAM_SUBPROTOCOLS = ['scrcpy.v4', 'scrcpy.v3'] as const;
export type StreamLayout = (typeof STREAM_SUBPROTOCOLS)[number];

/** "h264" in ASCII. */
export const CODEC_H264 = 0x68323634;

export const PACKET_HEADER_BYTES = 12;

/**
 * The only message of a viewer: a keyframe request, at most one per second. It is scrcpy's `TYPE_RESET_VIDEO`
 * (app/src/control_msg.h), one byte.
 */
export const RESET_VIDEO = Uint8Array.of(17);

const SESSION_FLAG = 0x80000000;
const V4_CONFIG = 0x40000000;
const V4_KEYFRAME = 0x20000000;
const V4_PTS_HIGH_MASK = 0x1fffffff;
const V3_CONFIG = 0x80000000;
const V3_KEYFRAME = 0x40000000;
const TWO_POW_32 = 0x1_0000_0000;

/** The size of the video in pixels. It is the first packet, and is sent again whenever the size changes. */
export interface SessionPacket {
  type: 'session';
  width: number;
  height: number;
}

/**
 * One access unit in Annex B. `pts` is in microseconds, below 2^53. A config packet (SPS and PPS) has no timestamp.
 */
export interface MediaPacket {
  type: 'config' | 'keyframe' | 'delta';
  pts: number;
  data: Uint8Array;
}

export type StreamPacket = SessionPacket | MediaPacket;
export type PacketType = StreamPacket['type'];

/** Returns the first message of a stream: the codec id, and in layout v3 also the size. */
export function encodePreamble(layout: StreamLayout, size: { width: number; height: number }): Uint8Array {
  const bytes = new Uint8Array(layout === 'scrcpy.v4' ? 4 : 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CODEC_H264);
  if (layout === 'scrcpy.v3') {
    view.setUint32(4, size.width);
    view.setUint32(8, size.height);
  }
  return bytes;
}

/**
 * Returns a packet in layout v4.
 * @param allocate returns memory of this many bytes, which need not be zero
 */
export function encodePacket(
  packet: StreamPacket,
  allocate: (length: number) => Uint8Array = (length) => new Uint8Array(length),
): Uint8Array {
  if (packet.type === 'session') {
    const bytes = new Uint8Array(PACKET_HEADER_BYTES);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, SESSION_FLAG);
    view.setUint32(4, packet.width);
    view.setUint32(8, packet.height);
    return bytes;
  }
  const bytes = allocate(PACKET_HEADER_BYTES + packet.data.length);
  writeMediaHeader(bytes, packet);
  bytes.set(packet.data, PACKET_HEADER_BYTES);
  return bytes;
}

/** Writes the header of a packet in layout v4, its first 12 bytes. The data are all the bytes after the header. */
export function writeMediaHeader(bytes: Uint8Array, { type, pts }: Pick<MediaPacket, 'type' | 'pts'>): void {
  const view = viewOf(bytes);
  const flags = type === 'config' ? V4_CONFIG : type === 'keyframe' ? V4_KEYFRAME : 0;
  view.setUint32(0, (flags | Math.floor(pts / TWO_POW_32)) >>> 0);
  view.setUint32(4, pts % TWO_POW_32);
  view.setUint32(8, bytes.length - PACKET_HEADER_BYTES);
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns the type of an encoded v4 packet from its first byte. */
export function packetType(bytes: Uint8Array): PacketType {
  const first = bytes[0] ?? 0;
  if (first & 0x80) return 'session';
  if (first & 0x40) return 'config';
  return first & 0x20 ? 'keyframe' : 'delta';
}

/** @throws RangeError when the bytes are not exactly one v4 packet */
export function assertPacket(bytes: Uint8Array): void {
  if (bytes.length < PACKET_HEADER_BYTES)
    throw new RangeError(`a packet must have at least 12 bytes, not ${bytes.length}`);
  if (packetType(bytes) === 'session') {
    if (bytes.length !== PACKET_HEADER_BYTES)
      throw new RangeError('a session packet must have exactly 12 bytes');
    return;
  }
  const length = ((bytes[8]! << 24) | (bytes[9]! << 16) | (bytes[10]! << 8) | bytes[11]!) >>> 0;
  if (length !== bytes.length - PACKET_HEADER_BYTES) {
    throw new RangeError(
      `the packet header declares ${length} bytes, but ${bytes.length - PACKET_HEADER_BYTES} bytes follow`,
    );
  }
}

/**
 * Parses one whole v4 packet. The data is a view, not a copy.
 * @throws RangeError when the bytes are not exactly one packet
 */
export function decodePacket(bytes: Uint8Array): StreamPacket {
  assertPacket(bytes);
  const view = viewOf(bytes);
  const type = packetType(bytes);
  if (type === 'session') return { type, width: view.getUint32(4), height: view.getUint32(8) };
  return { type, pts: packetTime(bytes), data: bytes.subarray(PACKET_HEADER_BYTES) };
}

/** Returns the time of a frame in layout v4, in microseconds. */
export function packetTime(bytes: Uint8Array): number {
  const high = ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) & V4_PTS_HIGH_MASK;
  const low = ((bytes[4]! << 24) | (bytes[5]! << 16) | (bytes[6]! << 8) | bytes[7]!) >>> 0;
  return high * TWO_POW_32 + low;
}

/** Converts a packet to layout v3. Returns null for a session packet, which v3 does not have. */
export function toLayoutV3(bytes: Uint8Array): Uint8Array | null {
  const type = packetType(bytes);
  if (type === 'session') return null;
  const copy = bytes.slice();
  const view = viewOf(copy);
  const flags = type === 'config' ? V3_CONFIG : type === 'keyframe' ? V3_KEYFRAME : 0;
  view.setUint32(0, (flags | (view.getUint32(0) & V4_PTS_HIGH_MASK)) >>> 0);
  return copy;
}
