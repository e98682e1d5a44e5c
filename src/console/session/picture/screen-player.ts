import { afterClose, Backoff } from '../../../client/reconnect.ts';
import { StreamSocket } from '../../../client/stream-socket.ts';
import type { StreamPacket } from '../../../contract/stream-packets.ts';
import { bestDecoder, createDecoder, type DecoderKind } from './create-decoder.ts';
import type { PictureDecoder } from './picture-decoder.ts';

/**
 * connecting: no picture yet. live: the picture is the phone's now. reconnecting: there is a picture, and it may be old.
 * ended: the session is over. unsupported: no decoder of this browser can show the stream.
 */
export type ScreenPhase = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'unsupported';

export interface ScreenState {
  phase: ScreenPhase;
  /** Pixels of the phone; null before the first packet. */
  size: { width: number; height: number } | null;
}

/** Pictures on a canvas from a session's stream, for as long as the session lives: it reconnects, and says when it does. */
export class ScreenPlayer {
  readonly #canvas: HTMLCanvasElement;
  readonly #url: string;
  readonly #onState: (state: ScreenState) => void;
  readonly #backoff = new Backoff();
  #state: ScreenState = { phase: 'connecting', size: null };
  #kind: DecoderKind = bestDecoder();
  #hasDrawn = false;
  #socket: StreamSocket | null = null;
  #decoder: PictureDecoder | null = null;
  #display = { width: 1, height: 1 };
  #openedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(canvas: HTMLCanvasElement, url: string, onState: (state: ScreenState) => void) {
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

  dispose(): void {
    this.#done = true;
    this.#drop();
  }

  async #connect(): Promise<void> {
    let failed = false;
    const decoder = await createDecoder(this.#kind, this.#canvas, {
      onPicture: (size) => this.#show(size),
      onFailure: () => {
        failed = true;
        this.#decoderFailed();
      },
    }).catch(() => null);
    if (this.#done || failed) return decoder?.dispose();
    if (!decoder) return this.#again();
    this.#decoder = decoder;
    decoder.resize(this.#display);
    this.#openedAt = 0;
    this.#socket = new StreamSocket(this.#url, {
      onPacket: (packet) => this.#take(packet),
      onClose: (code) => this.#closed(code),
    });
  }

  #take(packet: StreamPacket): void {
    if (this.#openedAt === 0) this.#openedAt = performance.now();
    if (packet.type !== 'session') this.#decoder?.push(packet);
    // Once there are pictures, each says its own size: a turned one must not be shown in the shape of the last.
    else if (!this.#hasDrawn) this.#set({ size: { width: packet.width, height: packet.height } });
  }

  #show(size: { width: number; height: number }): void {
    this.#hasDrawn = true;
    const known = this.#state.size;
    const sameSize = known?.width === size.width && known.height === size.height;
    if (this.#state.phase === 'live' && sameSize) return;
    this.#set({ phase: 'live', size: sameSize ? known : size });
  }

  #closed(code: number): void {
    if (afterClose(code) === 'session-ended') {
      this.#drop();
      this.#set({ phase: 'ended' });
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
    this.#set({ phase: this.#hasDrawn ? 'reconnecting' : 'connecting' });
    this.#retry = setTimeout(() => void this.#connect(), this.#backoff.next(openMs));
  }

  #drop(): void {
    clearTimeout(this.#retry);
    this.#socket?.close();
    this.#decoder?.dispose();
    this.#socket = null;
    this.#decoder = null;
  }

  #set(change: Partial<ScreenState>): void {
    this.#state = { ...this.#state, ...change };
    if (!this.#done) this.#onState(this.#state);
  }
}
