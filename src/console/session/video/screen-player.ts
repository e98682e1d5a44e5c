import { afterClose, Backoff } from '../../../client/reconnect.ts';
import { type StreamHandlers, StreamSocket } from '../../../client/stream-socket.ts';
import type { SessionPacket, StreamPacket } from '../../../contract/sockets/stream-packets.ts';
import { bestDecoder, createDecoder, type DecoderKind } from './create-decoder.ts';
import { FINAL_PHASES, FIRST_STATE, type ScreenPhase, type ScreenState } from './screen-state.ts';
import type { StreamDecoder } from './stream-decoder.ts';
import { StreamMeter, type StreamReading } from './stream-meter.ts';
import { type StreamTap, StreamTaps } from './stream-taps.ts';

export interface PlayerReading extends StreamReading {
  /** Number of frames that wait in the queue or in the decoder. */
  waiting: number;
  /** Number of times that frames were dropped, either here or by the service for this viewer. */
  droppedGroups: number;
}

/** Delay before a hidden canvas is paused, because users switch tabs and scroll past a canvas only briefly. */
const PAUSE_AFTER_MS = 1_500;

/**
 * Maximum time from a connection's first packet to its first frame. A stream starts with a keyframe, so if no
 * frame appears in this time, the connection or the decoder has lost it. The player then reconnects, because an
 * unchanging screen may send no other keyframe for minutes, and a new connection starts with one.
 */
const FIRST_FRAME_TIMEOUT_MS = 15_000;

/** Creates the parts that a player needs for each connection. A test replaces them. */
export interface PlayerParts {
  createDecoder: typeof createDecoder;
  openStream: (url: string, handlers: StreamHandlers) => Pick<StreamSocket, 'close'>;
}

const PARTS: PlayerParts = {
  createDecoder,
  openStream: (url, handlers) => new StreamSocket(url, handlers),
};

/** Plays a session's stream on a canvas until the session ends. Reconnects, and reports its state. */
export class ScreenPlayer {
  readonly meter = new StreamMeter();
  readonly #canvas: HTMLCanvasElement;
  readonly #url: string;
  readonly #onState: (state: ScreenState) => void;
  readonly #backoff = new Backoff();
  readonly #taps = new StreamTaps();
  #state = FIRST_STATE;
  #kind: DecoderKind = bestDecoder();
  #hasDrawn = false;
  #socket: Pick<StreamSocket, 'close'> | null = null;
  #decoder: StreamDecoder | null = null;
  /** Counts connection attempts, so that the result of an attempt that was abandoned is ignored. */
  #attempt = 0;
  #dropped = 0;
  #display = { width: 1, height: 1 };
  #openedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Runs from the connection's first packet to its first frame. */
  #firstFrame: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #visible = true;
  #done = false;

  readonly #parts: PlayerParts;

  constructor(
    canvas: HTMLCanvasElement,
    url: string,
    onState: (state: ScreenState) => void,
    parts: PlayerParts = PARTS,
  ) {
    this.#parts = parts;
    this.#canvas = canvas;
    this.#url = url;
    this.#onState = onState;
    void this.#connect();
  }

  /** Sets the size of the canvas in display pixels. */
  resize(size: { width: number; height: number }): void {
    this.#display = size;
    this.#decoder?.resize(size);
  }

  /** Sets whether the canvas is visible. The stream is not fetched while it is hidden, unless a tap receives it. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#pauseOrResume();
  }

  /** Passes every packet from now on to `tap`. Returns a function that removes the tap. */
  tap(tap: StreamTap): () => void {
    const remove = this.#taps.add(tap);
    this.#pauseOrResume();
    return () => {
      remove();
      this.#pauseOrResume();
    };
  }

  /**
   * Reconnects a live player. Called when the network seems to be down, because a dead connection might not report an
   * error.
   */
  reconnect(): void {
    if (this.#state.phase === 'live') this.#again();
  }

  /** The decoder that the player uses or is loading. */
  get decoderKind(): DecoderKind {
    return this.#kind;
  }

  read(): PlayerReading {
    const { waiting = 0, droppedGroups = 0 } = this.#decoder ?? {};
    return { ...this.meter.read(), waiting, droppedGroups: this.#dropped + droppedGroups };
  }

  dispose(): void {
    this.#done = true;
    clearTimeout(this.#rest);
    this.#drop();
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    let failed = false;
    const decoder = await this.#parts
      .createDecoder(this.#kind, this.#canvas, {
        onFrame: (size) => this.#show(size),
        onFailure: () => {
          failed = true;
          this.#decoderFailed();
        },
      })
      .catch(() => null);
    if (this.#done || failed || attempt !== this.#attempt) return decoder?.dispose();
    if (!decoder) return this.#stop('not-loaded');
    this.#decoder = decoder;
    decoder.resize(this.#display);
    this.#openedAt = 0;
    this.#taps.reset();
    this.#socket = this.#parts.openStream(this.#url, {
      onPacket: (packet) => this.#take(packet),
      onClose: (code) => this.#closed(code),
    });
  }

  #take(packet: StreamPacket): void {
    if (this.#openedAt === 0) {
      this.#openedAt = performance.now();
      this.#firstFrame = setTimeout(() => this.#again(), FIRST_FRAME_TIMEOUT_MS);
    }
    if (packet.type === 'session') {
      this.#measure(packet);
    } else {
      this.meter.received(packet.data.length, packet.type !== 'config');
      this.#decoder?.push(packet);
    }
    this.#taps.push(packet);
  }

  #measure(packet: SessionPacket): void {
    const { width, height } = packet;
    const previous = this.#taps.size;
    // The service repeats an unchanged size after it dropped frames for a viewer that was too slow.
    if (previous?.width === width && previous.height === height) this.#dropped += 1;
    // After the first frame, each frame sets the size itself, because a frame must not be shown in the
    // proportions of the frame before a rotation.
    if (!this.#hasDrawn) this.#set({ size: { width, height } });
  }

  #show(size: { width: number; height: number }): void {
    this.#hasDrawn = true;
    clearTimeout(this.#firstFrame);
    this.meter.drawn();
    const known = this.#state.size;
    const sameSize = known?.width === size.width && known.height === size.height;
    if (this.#state.phase === 'live' && sameSize) return;
    this.#set({ phase: 'live', size: sameSize ? known : size, liveUntil: null, failures: 0 });
  }

  #closed(code: number): void {
    if (afterClose(code) === 'session-ended') {
      this.#stop('ended', { endCode: code });
    } else {
      this.#again();
    }
  }

  /**
   * Before the first frame, the decoder is assumed not to support the stream, so the player switches to the
   * software decoder, or gives up if that was the one that failed. After the first frame, the player reconnects
   * with the same decoder.
   */
  #decoderFailed(): void {
    if (!this.#hasDrawn && this.#kind === 'tinyh264') {
      this.#stop('unsupported');
      return;
    }
    if (!this.#hasDrawn) this.#kind = 'tinyh264';
    this.#again();
  }

  /** Reconnects. A new connection starts with the current GOP, so the player does not wait for a keyframe. */
  #again(): void {
    const openMs = this.#openedAt === 0 ? 0 : performance.now() - this.#openedAt;
    this.#drop();
    const failures = openMs === 0 ? this.#state.failures + 1 : 0;
    this.#leave(this.#hasDrawn ? 'reconnecting' : 'connecting', { failures });
    this.#retry = setTimeout(() => void this.#connect(), this.#backoff.next(openMs));
  }

  #pauseOrResume(): void {
    clearTimeout(this.#rest);
    const wanted = this.#visible || this.#taps.count > 0;
    const { phase } = this.#state;
    if (this.#done || FINAL_PHASES.includes(phase)) return;
    if (!wanted) this.#rest = setTimeout(() => this.#pause(), PAUSE_AFTER_MS);
    // The phase becomes live only with the first frame.
    else if (phase === 'paused' && !this.#socket) void this.#connect();
  }

  #pause(): void {
    if (FINAL_PHASES.includes(this.#state.phase)) return;
    this.#drop();
    this.#leave('paused');
  }

  #stop(phase: ScreenPhase, change: Partial<ScreenState> = {}): void {
    this.#drop();
    this.#leave(phase, change);
  }

  #drop(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#firstFrame);
    this.#attempt += 1;
    this.#dropped += this.#decoder?.droppedGroups ?? 0;
    const wasConnected = this.#socket !== null;
    this.#socket?.close();
    this.#decoder?.dispose();
    this.#socket = null;
    this.#decoder = null;
    if (wasConnected) this.#taps.gap();
  }

  #leave(phase: ScreenPhase, change: Partial<ScreenState> = {}): void {
    const liveUntil = this.#state.phase === 'live' ? performance.now() : this.#state.liveUntil;
    this.#set({ phase, liveUntil, ...change });
  }

  #set(change: Partial<ScreenState>): void {
    this.#state = { ...this.#state, ...change };
    if (!this.#done) this.#onState(this.#state);
  }
}
