import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
  type StreamTargetChunk,
} from 'mediabunny';
import { avcCodecString, withConfig } from '../../contract/sockets/h264-config.ts';
import type { MediaPacket } from '../../contract/sockets/stream-packets.ts';
import type { VideoFile } from './convert-video.ts';

/** The properties that all frames of one file share. */
export interface VideoFormat {
  width: number;
  height: number;
  /** The parameter sets in Annex B format. */
  config: Uint8Array;
}

interface VideoWriterOptions {
  folder: string;
  name: string;
  format: VideoFormat;
  /** Time of the first frame, in milliseconds since the start of the recording. */
  startMs: number;
  /** Number of frames of the file. */
  frames: number;
}

/**
 * Writes frames to one MP4 file, without transcoding. Its tables are at its start, so that a player can seek with range
 * requests. It writes synchronously, because it runs in a worker thread.
 */
export class VideoWriter {
  private readonly options: VideoWriterOptions;
  private readonly path: string;
  private readonly source = new EncodedVideoPacketSource('avc');
  private descriptor: number | null;
  private size = 0;
  private output: Output | null = null;
  /** The newest frame, whose duration is not known yet. */
  private held: { frame: MediaPacket; ms: number } | null = null;
  private isEmpty = true;
  /** The frames cannot be written, because they are not valid H.264. */
  private isDamaged = false;
  private failure: unknown = null;

  constructor(options: VideoWriterOptions) {
    this.options = options;
    this.path = join(options.folder, options.name);
    this.descriptor = openSync(this.path, 'w', 0o600);
  }

  /** The first frame must be a keyframe, and the times must increase. @throws Error when the file cannot be written */
  async add(frame: MediaPacket, ms: number): Promise<void> {
    const before = this.held;
    this.held = { frame, ms };
    if (before) await this.write(before, ms);
  }

  /** Ends the file. Returns null if its frames are damaged. @throws Error when the file cannot be written */
  async finish(endMs: number): Promise<VideoFile | null> {
    const { format, name, startMs } = this.options;
    const until = Math.max(endMs, (this.held?.ms ?? startMs) + 1);
    if (this.held) await this.write(this.held, until);
    await this.guard(async () => this.output?.finalize());
    closeSync(this.descriptor!);
    this.descriptor = null;
    if (this.isDamaged || this.isEmpty) {
      rmSync(this.path, { force: true });
      return null;
    }
    const { width, height } = format;
    const durationMs = Math.round(until - startMs);
    return { name, size: this.size, offsetMs: Math.round(startMs), durationMs, width, height };
  }

  private async write({ frame, ms }: { frame: MediaPacket; ms: number }, untilMs: number): Promise<void> {
    await this.guard(async () => {
      const { config, width, height } = this.options.format;
      const isKey = frame.type === 'keyframe';
      const packet = new EncodedPacket(
        isKey ? withConfig(config, frame.data) : frame.data,
        isKey ? 'key' : 'delta',
        (ms - this.options.startMs) / 1e3,
        (untilMs - ms) / 1e3,
      );
      this.output ??= await this.begin();
      // Without a `description`, mediabunny expects packets in Annex B format and converts them for the file.
      const decoderConfig = { codec: avcCodecString(config), codedWidth: width, codedHeight: height };
      await this.source.add(packet, this.isEmpty ? { decoderConfig } : undefined);
      this.isEmpty = false;
    });
  }

  private async begin(): Promise<Output> {
    const output = new Output({
      format: new Mp4OutputFormat({ fastStart: 'reserve' }),
      target: new StreamTarget(
        new WritableStream<StreamTargetChunk>({ write: (chunk) => this.store(chunk) }),
        { chunked: true, chunkSize: 1024 * 1024 },
      ),
    });
    output.addVideoTrack(this.source, { maximumPacketCount: this.options.frames });
    await output.start();
    return output;
  }

  private store({ data, position }: StreamTargetChunk): void {
    try {
      for (let at = 0; at < data.length; ) {
        at += writeSync(this.descriptor!, data, at, data.length - at, position + at);
      }
      this.size = Math.max(this.size, position + data.length);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** An error that is not one of the file system means that the frames are damaged. */
  private async guard(run: () => Promise<unknown>): Promise<void> {
    if (this.isDamaged) return;
    try {
      await run();
    } catch {
      this.isDamaged = true;
    }
    if (this.failure) throw this.failure;
  }
}
