import type { MediaPacket } from '../../../contract/stream-packets.ts';

export interface DecoderEvents {
  /** A new picture is on the canvas. Its size is in pixels of the phone. */
  onPicture(size: { width: number; height: number }): void;
  /** The decoder gave up; it takes nothing more and wants to be disposed of. */
  onFailure(error: Error): void;
}

/** Turns media packets, from a config packet and a keyframe on, into pictures on a canvas. */
export interface PictureDecoder {
  /** Pictures that came and are not drawn yet. */
  readonly waiting: number;
  /** Times that pictures were left out, because a newer keyframe was there before their turn. */
  readonly droppedGroups: number;
  push(packet: MediaPacket): void;
  /** How many pixels of the screen the canvas covers; a decoder that scales by itself draws at that size. */
  resize(size: { width: number; height: number }): void;
  dispose(): void;
}
