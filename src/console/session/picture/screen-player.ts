import { afterClose, Backoff } from '../../../client/reconnect.ts';
import { type StreamHandlers, StreamSocket } from '../../../client/stream-socket.ts';
import type { MediaPacket, SessionPacket, StreamPacket } from '../../../contract/stream-packets.ts';
import { bestDecoder, createDecoder, type DecoderKind } from './create-decoder.ts';
import type { PictureDecoder } from './picture-decoder.ts';
import { StreamMeter, type StreamReading } from './stream-meter.ts';

/**
 * connecting: no picture yet. live: the picture is the phone's now. reconnecting: there is a picture, and it may be old.
 * paused: nobody sees the picture, so it is not fetched. ended: the session is over. unsupported: no decoder of this
 * browser can show the stream.
 */
export type ScreenPhase = 'connecting' | 'live' | 'reconnecting' | 'paused' | 'ended' | 'unsupported';

export interface ScreenState {
  phase: ScreenPhase;
  /** Pixels of the phone; null before the first packet. */
  size: { width: number; height: number } | null;
  /** Until when the picture was the phone's, by `performance.now()`; null while it is, and before the first. */
  liveUntil: number | null;
  /** Connections in a row that brought nothing. */
  failures: number;
  /** The code that the stream was closed with at the session's end. */
  endCode: number | null;
}

export const FIRST_STATE: ScreenState = {
  phase: 'connecting',
  size: null,
  liveUntil: null,
  failures: 0,
  endCode: null,
};

/** Who takes the stream's packets as they come, to write them down. The size and the config come first. */
export interface StreamTap {
  onPacket(packet: StreamPacket): void;
  /** The connection was lost: what comes next begins anew, at a keyframe that may be older than what was had. */
  onGap(): void;
}

export interface PlayerReading extends StreamReading {
  /** Pictures that wait for the decoder, or in it. */
  waiting: number;
  /** Times that pictures were left out: here, or by the service for this viewer. */
  droppedGroups: number;
}

/** Tabs are changed and pages scrolled in passing: only what stays out of sight for longer is paused. */
const PAUSE_AFTER_MS = 1_500;

/**
 * A stream begins with a keyframe. A connection that led to no picture for so long after its first packet has lost it, or the
 * decoder has: a still screen may send no other for minutes, and a new connection begins with one.
 */
const FIRST_PICTURE_TIMEOUT_MS = 15_000;

/** What a player makes for each connection; a test gives its own. */
export interface PlayerParts {
  createDecoder: typeof createDecoder;
  openStream: (url: string, handlers: StreamHandlers) => Pick<StreamSocket, 'close'>;
}

const PARTS: PlayerParts = {
  createDecoder,
  openStream: (url, handlers) => new StreamSocket(url, handlers),
};

/** Pictures on a canvas from a session's stream, for as long as the session lives: it reconnects, and says when it does. */
export class ScreenPlayer {
  readonly meter = new StreamMeter();
  readonly #canvas: HTMLCanvasElement;
  readonly #url: string;
  readonly #onState: (state: ScreenState) => void;
  readonly #backoff = new Backoff();
  readonly #taps = new Set<StreamTap>();
  #state = FIRST_STATE;
  #kind: DecoderKind = bestDecoder();
  #hasDrawn = false;
  #socket: Pick<StreamSocket, 'close'> | null = null;
  #decoder: PictureDecoder | null = null;
  /** Counts connections, so that one that was given up while it was being made comes to nothing. */
  #attempt = 0;
  /** What this connection last said the size is. */
  #announced: SessionPacket | null = null;
  #config: MediaPacket | null = null;
  #dropped = 0;
  #display = { width: 1, height: 1 };
  #openedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Runs from the connection's first packet to its first picture. */
  #firstPicture: ReturnType<typeof setTimeout> | undefined;
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

  /** Tells how many pixels of the display the canvas covers. */
  resize(size: { width: number; height: number }): void {
    this.#display = size;
    this.#decoder?.resize(size);
  }

  /** Whether anybody can see the canvas. What nobody sees is not fetched, unless a tap takes it. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#pauseOrResume();
  }

  /** Has every packet from now on told to `tap`. Returns the end of it. */
  tap(tap: StreamTap): () => void {
    this.#taps.add(tap);
    for (const packet of [this.#announced, this.#config]) if (packet) tap.onPacket(packet);
    this.#pauseOrResume();
    return () => {
      this.#taps.delete(tap);
      this.#pauseOrResume();
    };
  }

  /** To be called when the network seems to be gone: the connection may be dead without anybody having said so. */
  reconnect(): void {
    if (this.#state.phase === 'live') this.#again();
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
        onPicture: (size) => this.#show(size),
        onFailure: () => {
          failed = true;
          this.#decoderFailed();
        },
      })
      .catch(() => null);
    if (this.#done || failed || attempt !== this.#attempt) return decoder?.dispose();
    if (!decoder) return this.#again();
    this.#decoder = decoder;
    decoder.resize(this.#display);
    this.#openedAt = 0;
    this.#announced = null;
    this.#config = null;
    this.#socket = this.#parts.openStream(this.#url, {
      onPacket: (packet) => this.#take(packet),
      onClose: (code) => this.#closed(code),
    });
  }

  #take(packet: StreamPacket): void {
    if (this.#openedAt === 0) {
      this.#openedAt = performance.now();
      this.#firstPicture = setTimeout(() => this.#again(), FIRST_PICTURE_TIMEOUT_MS);
    }
    if (packet.type === 'session') {
      this.#measure(packet);
    } else {
      if (packet.type === 'config') this.#config = packet;
      this.meter.received(packet.data.length, packet.type !== 'config');
      this.#decoder?.push(packet);
    }
    for (const tap of this.#taps) tap.onPacket(packet);
  }

  #measure(packet: SessionPacket): void {
    const { width, height } = packet;
    const said = this.#announced;
    // The service says a size again that has not changed where it left pictures out for a viewer that was too slow.
    if (said?.width === width && said.height === height) this.#dropped += 1;
    this.#announced = packet;
    // Once there are pictures, each says its own size: a turned one must not be shown in the shape of the last.
    if (!this.#hasDrawn) this.#set({ size: { width, height } });
  }

  #show(size: { width: number; height: number }): void {
    this.#hasDrawn = true;
    clearTimeout(this.#firstPicture);
    this.meter.drawn();
    const known = this.#state.size;
    const sameSize = known?.width === size.width && known.height === size.height;
    if (this.#state.phase === 'live' && sameSize) return;
    this.#set({ phase: 'live', size: sameSize ? known : size, liveUntil: null, failures: 0 });
  }

  #closed(code: number): void {
    if (afterClose(code) === 'session-ended') {
      this.#drop();
      this.#leave('ended', { endCode: code });
    } else {
      this.#again();
    }
  }

  /** Before the first picture it is the decoder that is wrong for this stream; after it, the stream is begun anew. */
  #decoderFailed(): void {
    if (!this.#hasDrawn && this.#kind === 'tinyh264') {
      this.#drop();
      this.#set({ phase: 'unsupported' });
      return;
    }
    if (!this.#hasDrawn) this.#kind = 'tinyh264';
    this.#again();
  }

  /** A new connection begins with the current group of pictures, so that nothing has to be waited for. */
  #again(): void {
    const openMs = this.#openedAt === 0 ? 0 : performance.now() - this.#openedAt;
    this.#drop();
    const failures = openMs === 0 ? this.#state.failures + 1 : 0;
    this.#leave(this.#hasDrawn ? 'reconnecting' : 'connecting', { failures });
    this.#retry = setTimeout(() => void this.#connect(), this.#backoff.next(openMs));
  }

  #pauseOrResume(): void {
    clearTimeout(this.#rest);
    const wanted = this.#visible || this.#taps.size > 0;
    const { phase } = this.#state;
    if (this.#done || phase === 'ended' || phase === 'unsupported') return;
    if (!wanted) this.#rest = setTimeout(() => this.#pause(), PAUSE_AFTER_MS);
    // It is live with the first picture, and no sooner.
    else if (phase === 'paused' && !this.#socket) void this.#connect();
  }

  #pause(): void {
    const { phase } = this.#state;
    if (phase === 'ended' || phase === 'unsupported') return;
    this.#drop();
    this.#leave('paused');
  }

  #drop(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#firstPicture);
    this.#attempt += 1;
    this.#dropped += this.#decoder?.droppedGroups ?? 0;
    const wasConnected = this.#socket !== null;
    this.#socket?.close();
    this.#decoder?.dispose();
    this.#socket = null;
    this.#decoder = null;
    if (wasConnected) for (const tap of this.#taps) tap.onGap();
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
