import { setTimeout as delay } from 'node:timers/promises';
import { runInTime } from '../../../util/deadline.ts';
import { type AdbServerAddress, openAdbSocket, readAndClose, readExactly } from './adb-socket.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** Pause between two attempts to open the stream of a phone. It doubles from the first value to the second. */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** After a stream that was open for this long, the pause is the first value again. */
const STABLE_MS = 60_000;

/** @param openMs how long the stream was open before this pause; 0 when it could not be opened */
export const pauseAfter = (openMs: number, previousMs: number): number =>
  openMs >= STABLE_MS ? PAUSE_MS : Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, previousMs * 2));

interface IdleStream {
  /** On the clock of `performance`; null while the stream is not open. */
  openedAt: number | null;
  stop: AbortController;
}

/**
 * One `sync:` stream to each online phone, on which nothing is ever sent. An adb server closes all streams of a phone
 * when the phone goes offline, so their ends report what the server does not report to `host:track-devices`.
 */
export class IdleStreams {
  readonly #address: AdbServerAddress;
  readonly #onEnd: () => void;
  /** By the adb server's number for the connection of the phone. */
  readonly #streams = new Map<bigint, IdleStream>();

  /** @param onEnd called when a stream has ended or could not be opened, unless its phone was already offline */
  constructor(address: AdbServerAddress, onEnd: () => void) {
    this.#address = address;
    this.#onEnd = onEnd;
  }

  /** Number of streams that are open. */
  get openCount(): number {
    return [...this.#streams.values()].filter(({ openedAt }) => openedAt !== null).length;
  }

  /** Opens the streams of the phones that are online, given by their transports, and closes all others. */
  update(online: ReadonlySet<bigint>): void {
    for (const [transport, { stop }] of this.#streams) {
      if (online.has(transport)) continue;
      stop.abort();
      this.#streams.delete(transport);
    }
    for (const transport of online) {
      if (this.#streams.has(transport)) continue;
      const stream = { openedAt: null, stop: new AbortController() };
      this.#streams.set(transport, stream);
      void this.#keepOpen(transport, stream);
    }
  }

  /** Opens the stream again when it ends. The pauses bound the attempts for a phone that never keeps it open. */
  async #keepOpen(transport: bigint, stream: IdleStream): Promise<void> {
    const { signal } = stream.stop;
    let pauseMs = 0;
    while (!signal.aborted) {
      await this.#waitForEnd(transport, stream).catch(() => {});
      pauseMs = pauseAfter(stream.openedAt === null ? 0 : performance.now() - stream.openedAt, pauseMs);
      stream.openedAt = null;
      if (signal.aborted) return;
      this.#onEnd();
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #waitForEnd(transport: bigint, stream: IdleStream): Promise<void> {
    const { signal } = stream.stop;
    const services = [`host:transport-id:${transport}`, 'sync:'];
    const socket = await runInTime(OPEN_TIMEOUT_MS, signal, (inTime) =>
      openAdbSocket(this.#address, services, inTime),
    );
    stream.openedAt = performance.now();
    // A phone that sends data without a request does not follow the protocol, and its data is not read.
    await readAndClose(socket, (idle) => readExactly(idle, 1), signal);
  }
}
