import type { Log } from '../../../util/log.ts';
import { type AdbServerAddress, openAdbSocket, readAndClose, readText } from './adb-socket.ts';

export interface ReconnectorOptions {
  address: AdbServerAddress;
  /** Pause between two attempts for one phone, in milliseconds. It doubles from the first value to the second. */
  pauseMs: number;
  maxPauseMs: number;
  log: Log;
  signal: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes the adb server reconnect to phones on the network that it has lost. An adb server gives up after some
 * attempts, and a restarted one does not know which phones it was connected to.
 */
export class Reconnector {
  readonly #options: ReconnectorOptions;
  readonly #phones = new Map<string, { pauseMs: number; nextAt: number }>();

  constructor(options: ReconnectorOptions) {
    this.#options = options;
  }

  /** Attempts to connect to each of these serials that is due, and discards the state of all others. */
  keepTrying(serials: readonly string[]): void {
    for (const serial of this.#phones.keys()) if (!serials.includes(serial)) this.#phones.delete(serial);
    const now = performance.now();
    for (const serial of serials) {
      const { pauseMs, nextAt } = this.#phones.get(serial) ?? { pauseMs: this.#options.pauseMs, nextAt: now };
      if (now < nextAt) continue;
      const nextPauseMs = Math.min(this.#options.maxPauseMs, pauseMs * 2);
      this.#phones.set(serial, { pauseMs: nextPauseMs, nextAt: now + pauseMs });
      void this.#connect(serial);
    }
  }

  async #connect(serial: string): Promise<void> {
    const { address, log } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    try {
      const socket = await openAdbSocket(address, [`host:connect:${serial}`], signal);
      const answer = await readAndClose(socket, readText, signal);
      log.debug({ answer }, 'reconnecting an absent phone on the network with adb');
    } catch (error) {
      if (!this.#options.signal.aborted)
        log.debug({ err: error }, 'absent phone on the network could not be reconnected with adb');
    }
  }
}
