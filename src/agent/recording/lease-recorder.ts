import type { ControlNotifications } from '../../contract/sockets/control-notifications.ts';
import type { Log } from '../../util/log.ts';
import { BatchWriter } from './batch-writer.ts';
import { ClientEvents, type EventBody } from './client-events.ts';
import { LineRecorder } from './line-recorder.ts';
import { INTERRUPTED } from './prepare-artifacts.ts';
import {
  MAX_SCREENSHOTS,
  MAX_VIDEOS,
  openFolder,
  type RecordingEnd,
  screenshotFile,
  writeEnd,
} from './recording-folder.ts';
import { type SharedSpace, StorageLimits } from './storage-limits.ts';
import { VideoRecorder } from './video-recorder.ts';
import { WaitingRecords } from './waiting-records.ts';

/** 16 s of video at 8 Mbit/s. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/**
 * Data waits in memory for at most this long before it is written. A process that is killed loses what waits and the
 * write in progress.
 */
const FLUSH_MS = 1_000;
/** The data is written earlier when it has this many bytes. */
const FLUSH_BYTES = 2 * 1024 * 1024;

type LogLine = ControlNotifications['log.line'];

export interface LeaseRecorderOptions {
  sessionId: string;
  folder: string;
  /** Whether typed text is recorded. */
  text: boolean;
  /** Remaining artifact storage of the account, bytes; null: unlimited. */
  maxBytes: number | null;
  space: SharedSpace;
  log: Log;
  /** Called when the recorder is closed. `isFinal`: the lease has ended. */
  onClosed: (isFinal: boolean) => void;
}

/**
 * Records one lease: the packets of the screen, the commands of its clients, and the log. The recording starts with the
 * first keyframe. If it cannot be written, it stops and keeps the data that was written before, and the lease continues.
 */
export class LeaseRecorder {
  /** Set by the owner. Called once, when the recording stops before it is closed. */
  onStopped: () => void = () => {};
  /** Set by the owner, when it can request a keyframe of the phone. */
  requestKeyframe: () => void = () => {};
  /** Records what the clients of the lease do. */
  readonly clients: ClientEvents;
  private readonly options: LeaseRecorderOptions;
  private readonly writer: BatchWriter;
  private readonly video: VideoRecorder;
  private readonly lines: LineRecorder;
  private readonly opening: Promise<void>;
  private readonly storage: StorageLimits;
  private readonly waiting = new WaitingRecords();
  private isOpen = false;
  private screenshots = 0;
  private end: RecordingEnd | null = null;
  private clock: NodeJS.Timeout | undefined;
  private closing: Promise<void> | null = null;

  constructor(options: LeaseRecorderOptions) {
    const { folder, text, maxBytes, space } = options;
    this.options = options;
    this.clients = new ClientEvents({ text, record: (event, agoMs) => this.event(event, agoMs) });
    this.writer = new BatchWriter({
      folder,
      maxWaitingBytes: MAX_WAITING_BYTES,
      onFailure: (reason) => this.onWriteFailure(reason),
    });
    this.storage = new StorageLimits({ writer: this.writer, space, maxBytes });
    const append = (name: string, bytes: Uint8Array) => this.writer.append(name, bytes);
    this.lines = new LineRecorder(append);
    this.video = new VideoRecorder({
      files: this.writer,
      onStart: (at, isFirst) => this.onStart(at, isFirst),
      onRotation: (size, at) => this.addEvent({ type: 'rotation', ...size }, at),
      requestKeyframe: () => this.requestKeyframe(),
    });
    this.opening = this.open().catch((error: NodeJS.ErrnoException) =>
      this.writer.fail(
        `the host could not create the folder of the recording (${error.code ?? error.message})`,
      ),
    );
  }

  /** False before the first frame, and when the recording has stopped. */
  get isRecording(): boolean {
    return this.end === null && this.video.hasStarted;
  }

  /** False when the recording has stopped. */
  get canRecord(): boolean {
    return this.end === null;
  }

  /** Records an encoded packet of the stream, which the caller must not modify afterwards. */
  packet(encoded: Uint8Array): void {
    this.enqueue((at) => this.record(encoded, at), encoded.length);
  }

  /** Returns whether the label was recorded. */
  mark(label: string): boolean {
    this.process();
    if (!this.isRecording || !this.lines.canAddEvent) return false;
    this.event({ type: 'mark', label });
    return this.end === null;
  }

  logLine(line: LogLine): void {
    this.enqueue((at) => {
      if (!this.isRecording) return;
      this.lines.logLine(this.video.timeAt(at), line);
      this.checkBytes();
    }, line.message.length);
  }

  /** Keeps the first 100 screenshots. */
  screenshot(png: Uint8Array): void {
    this.enqueue((at) => {
      if (!this.isRecording || this.screenshots >= MAX_SCREENSHOTS || png.length > this.writer.freeBytes)
        return;
      this.screenshots += 1;
      const { file, name } = screenshotFile(this.screenshots, this.video.timeAt(at));
      this.writer.create(file, png);
      this.addEvent({ type: 'screenshot', name }, at);
      this.checkBytes();
    }, png.length);
  }

  /** Applies the limit of a new order. */
  limit(maxBytes: number | null): void {
    this.process();
    this.storage.maxBytes = maxBytes;
    if (this.isRecording) this.checkBytes();
  }

  /**
   * Closes the files. `isFinal`: the lease has ended. Otherwise the same lease may be served again, and a new recorder
   * continues the recording. Never rejects.
   */
  async close({ isFinal }: { isFinal: boolean }): Promise<void> {
    await this.opening;
    this.process();
    if (this.isRecording) this.video.writeClock(performance.now());
    if (isFinal && !this.end) {
      this.endEvents(null);
      this.end = { detail: this.incompleteReason() };
    }
    await this.closeFiles();
    this.options.onClosed(isFinal);
  }

  private record(encoded: Uint8Array, at: number): void {
    this.video.push(encoded, at);
    if (this.video.videos > MAX_VIDEOS) this.stop('the screen was rotated too often');
    this.checkBytes();
  }

  private async open(): Promise<void> {
    const earlier = await openFolder(this.options.folder);
    this.isOpen = true;
    this.storage.earlierBytes = earlier.bytes;
    this.screenshots = earlier.screenshots;
    this.lines.open(earlier);
    if (earlier.end) {
      this.end = earlier.end;
      this.waiting.clear();
      this.onStopped();
      return;
    }
    this.video.open(earlier);
    this.clock = setInterval(() => this.tick(), FLUSH_MS);
    this.flush();
  }

  /** Events do not wait, because a client can send long ones, such as the text of its clipboard, at any rate. */
  private event(body: EventBody, agoMs = 0): void {
    this.enqueue((at) => this.addEvent(body, at - agoMs));
    this.process();
  }

  private enqueue(record: (at: number) => void, bytes = 0): void {
    if (this.end) return;
    this.waiting.add(record, bytes);
    if (this.isOpen && this.waiting.bytes >= FLUSH_BYTES) this.flush();
    else if (this.waiting.bytes > MAX_WAITING_BYTES)
      this.writer.fail('the disk of the host is slower than the video');
  }

  private flush(): void {
    this.process();
    this.writer.flush();
  }

  /** Gives what waits to the writer. */
  private process(): void {
    if (this.isOpen) this.waiting.process(() => this.end !== null);
  }

  private onStart(at: number, isFirst: boolean): void {
    if (!isFirst) return;
    const time = new Date(Date.now() - (performance.now() - at)).toISOString();
    this.addEvent({ type: 'started', at: time, session_id: this.options.sessionId }, at);
  }

  private tick(): void {
    this.process();
    if (!this.isRecording) return;
    this.video.writeClock(performance.now());
    this.writer.flush();
    this.storage
      .tick()
      .then((reason) => reason && this.stop(reason))
      .catch((error) =>
        this.options.log.debug({ err: error }, 'free space for recordings could not be read'),
      );
  }

  private checkBytes(): void {
    if (this.storage.isExceeded(this.video.frames))
      this.stop('the account has no more space for artifacts (max_artifact_bytes)');
  }

  private addEvent(body: EventBody, at: number): void {
    if (!this.isRecording) return;
    const now = this.video.timeAt(performance.now());
    this.lines.event(this.video.timeAt(at), body, now);
  }

  /** Returns what is missing in a recording that has not stopped early, or null. */
  private incompleteReason(): string | null {
    const { hasStarted, videos, incompleteReason } = this.video;
    if (!hasStarted && incompleteReason === null)
      return videos === 0 ? 'the phone sent no frame' : INTERRUPTED;
    return [incompleteReason, this.lines.incompleteReason].filter((one) => one !== null).join('; ') || null;
  }

  private endEvents(reason: string | null): void {
    if (this.video.hasStarted) this.lines.endEvents(this.video.timeAt(performance.now()), reason);
  }

  /** The writer may also fail while it writes the last data of a recording that has ended. */
  private onWriteFailure(reason: string): void {
    if (this.end) this.end = this.stoppedEarly(reason);
    else this.stop(reason);
  }

  /** Stops the recording and keeps what exists. */
  private stop(reason: string): void {
    if (this.end) return;
    this.end = this.stoppedEarly(reason);
    this.waiting.clear();
    this.video.writeClock(performance.now());
    this.endEvents(reason);
    void this.opening.then(() => this.closeFiles());
    this.onStopped();
  }

  private stoppedEarly(reason: string): RecordingEnd {
    const { log, sessionId } = this.options;
    log.warn({ sessionId, reason }, 'recording stopped before its session ended');
    return { detail: `the recording stopped before the session ended: ${reason}` };
  }

  private closeFiles(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    const { folder, sessionId, log } = this.options;
    clearInterval(this.clock);
    await this.writer.close();
    this.storage.count();
    if (!this.end) return;
    await writeEnd(folder, this.end).catch((error) =>
      log.warn({ sessionId, err: error }, 'the end of a recording could not be written'),
    );
  }
}
