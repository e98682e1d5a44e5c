import type { MediaPacket } from '../../../contract/sockets/stream-packets.ts';

export interface DecoderEvents {
  /** Called when a new frame is on the canvas. The size is in pixels of the phone. */
  onFrame(size: { width: number; height: number }): void;
  /** Called when the decoder failed. It accepts no more packets, and the caller must dispose of it. */
  onFailure(error: Error): void;
}

/** Decodes media packets, starting with a config packet and a keyframe, and draws the frames on a canvas. */
export interface StreamDecoder {
  /** Number of frames that were received but not drawn yet. */
  readonly waiting: number;
  /** Number of times that frames were dropped because a newer keyframe arrived before they were decoded. */
  readonly droppedGroups: number;
  push(packet: MediaPacket): void;
  /** Sets the size of the canvas in display pixels. A decoder that scales frames itself draws at this size. */
  resize(size: { width: number; height: number }): void;
  dispose(): void;
}
