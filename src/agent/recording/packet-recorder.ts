import { decodePacket, packetType } from '../../contract/sockets/stream-packets.ts';
import { clockRecord } from './packet-file.ts';
import { CLOCK_FILE, type EarlierParts, packetsFile } from './recording-folder.ts';

/**
 * The time between two parts is taken from the wall clock, which may jump. The control plane ends a session whose host
 * does not report for 10 s, unless it is itself down.
 */
const MAX_GAP_MS = 10 * 60_000;

interface Size {
  width: number;
  height: number;
}

export interface PacketRecorderOptions {
  append: (name: string, bytes: Uint8Array) => void;
  /** Called at the first frame. `isFirst`: no earlier process has recorded this lease. */
  onStart: (at: number, isFirst: boolean) => void;
  onRotation: (size: Size, at: number) => void;
}

/**
 * The packets of one recording and its clock. Every process that records the lease writes another file. All times are
 * on the clock of `performance.now()`.
 */
export class PacketRecorder {
  /** Number of packets, and of the video files that they will be converted to. */
  count = 0;
  videos = 0;
  private readonly options: PacketRecorderOptions;
  private file = packetsFile(1);
  private earlier: { startedAt: number; endMs: number } | null = null;
  /** When the recording began, which may have been in an earlier process. */
  private startedAt: number | null = null;
  private session: Uint8Array | null = null;
  private config: Uint8Array | null = null;
  private size: Size | null = null;
  /** Properties that all frames of the current video share. */
  private format: { session: Uint8Array; config: Uint8Array } | null = null;

  constructor(options: PacketRecorderOptions) {
    this.options = options;
  }

  get hasStarted(): boolean {
    return this.startedAt !== null;
  }

  /** Continues after the parts of earlier processes. */
  open({ startedAt, endMs, nextPart }: EarlierParts): void {
    this.file = packetsFile(nextPart);
    this.videos = nextPart - 1;
    this.earlier = startedAt === null ? null : { startedAt, endMs };
  }

  push(encoded: Uint8Array, at: number): void {
    const type = packetType(encoded);
    if (type === 'session') this.setSession(encoded, at);
    else if (type === 'config') this.config = encoded;
    else if (type === 'keyframe') this.beginGroup(at);
    if (this.hasStarted) this.write(encoded);
  }

  /** Milliseconds from the start of the recording. */
  timeAt(at: number): number {
    return Math.max(0, Math.round(at - (this.startedAt ?? at)));
  }

  /** Writes the time, so that a reader knows how long the last frame was shown. */
  writeClock(at: number): void {
    if (!this.hasStarted) return;
    const record = clockRecord(this.timeAt(at));
    this.options.append(this.file, record);
    this.options.append(CLOCK_FILE, record);
  }

  private setSession(encoded: Uint8Array, at: number): void {
    const packet = decodePacket(encoded);
    if (packet.type !== 'session') return;
    const { width, height } = packet;
    const isRotated = this.size !== null && (this.size.width !== width || this.size.height !== height);
    this.session = encoded;
    this.size = { width, height };
    if (isRotated) this.options.onRotation({ width, height }, at);
  }

  private beginGroup(at: number): void {
    const { session, config, format } = this;
    if (!session || !config) return;
    const isSame = format && equal(format.session, session) && equal(format.config, config);
    if (!isSame) {
      this.videos += 1;
      this.format = { session, config };
    }
    if (!this.hasStarted) this.start(session, config, at);
  }

  private start(session: Uint8Array, config: Uint8Array, at: number): void {
    this.startedAt = at - this.offset();
    this.writeClock(at);
    this.write(session);
    this.write(config);
    this.options.onStart(at, this.earlier === null);
  }

  /** Time of the recording at which this part begins. */
  private offset(): number {
    if (!this.earlier) return 0;
    const { startedAt, endMs } = this.earlier;
    return endMs + Math.min(MAX_GAP_MS, Math.max(0, Date.now() - startedAt - endMs));
  }

  private write(encoded: Uint8Array): void {
    this.count += 1;
    this.options.append(this.file, encoded);
  }
}

const equal = (one: Uint8Array, other: Uint8Array) => one === other || Buffer.compare(one, other) === 0;
