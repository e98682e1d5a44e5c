import { EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, type Target } from 'mediabunny';
import { avcCodecString, withConfig } from '../../contract/sockets/h264-config.ts';
import type { MediaPacket } from '../../contract/sockets/stream-packets.ts';
import type { RecordingFile } from './recording-storage.ts';

/** The properties that all frames of one file share. */
export interface VideoFormat {
  width: number;
  height: number;
  /** The parameter sets in Annex B format. */
  config: Uint8Array;
}

/**
 * Writes one MP4 file from the frames of the stream, without transcoding. Each frame is shown until the time of
 * the next one, so that a static screen is shown for its real duration.
 */
export class Mp4File<T> {
  readonly #file: RecordingFile<T>;
  readonly #format: VideoFormat;
  readonly #source = new EncodedVideoPacketSource('avc');
  readonly #output: Output;
  /** The newest frame, whose duration is not known yet. */
  #held: MediaPacket | null = null;
  #firstPts = 0;
  #isEmpty = true;

  private constructor(file: RecordingFile<T>, format: VideoFormat) {
    this.#file = file;
    this.#format = format;
    this.#output = new Output({ format: new Mp4OutputFormat(), target: file.target as Target });
    this.#output.addVideoTrack(this.#source);
  }

  static async begin<T>(file: RecordingFile<T>, format: VideoFormat): Promise<Mp4File<T>> {
    const made = new Mp4File(file, format);
    await made.#output.start();
    return made;
  }

  /** The first frame must be a keyframe, and the times must increase. */
  async add(frame: MediaPacket): Promise<void> {
    const before = this.#held;
    if (!before) this.#firstPts = frame.pts;
    this.#held = frame;
    if (before) await this.#write(before, frame.pts);
  }

  /** Ends the file at this time, in microseconds on the clock of the frames. */
  async finish(endPts: number): Promise<T> {
    if (this.#held) await this.#write(this.#held, Math.max(endPts, this.#held.pts + 1));
    await this.#output.finalize();
    return this.#file.take();
  }

  async #write({ type, pts, data }: MediaPacket, untilPts: number): Promise<void> {
    const { config, width, height } = this.#format;
    const isKey = type === 'keyframe';
    const packet = new EncodedPacket(
      isKey ? withConfig(config, data) : data,
      isKey ? 'key' : 'delta',
      (pts - this.#firstPts) / 1e6,
      (untilPts - pts) / 1e6,
    );
    // Without a `description`, mediabunny expects packets in Annex B format and converts them for the file.
    const decoderConfig = { codec: avcCodecString(config), codedWidth: width, codedHeight: height };
    await this.#source.add(packet, this.#isEmpty ? { decoderConfig } : undefined);
    this.#isEmpty = false;
  }
}
