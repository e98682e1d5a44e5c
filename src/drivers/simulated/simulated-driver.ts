import { createHash } from 'node:crypto';
import type { Log } from '../../util/log.ts';
import type { Driver, Phone } from '../driver.ts';
import { PHONE_MODELS } from './models.ts';
import { SimulatedPhone } from './simulated-phone.ts';

export interface SimulatedDriverOptions {
  /** Makes the phones' identifiers this host's own. */
  hostId: string;
  count: number;
  log: Log;
}

/** Phones in software: what they show is drawn, and streamed as any other phone's screen is. */
export class SimulatedDriver implements Driver {
  readonly #options: SimulatedDriverOptions;
  #phones: SimulatedPhone[] = [];
  #starting: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
  }

  /** Resolves at once: the phones get ready one after the other, and `open` waits for the one it is about. */
  async start(onChange: (phones: Phone[]) => void): Promise<void> {
    const { hostId, count, log } = this.#options;
    const tell = () => {
      if (!this.#closed) onChange([...this.#phones]);
    };
    this.#phones = Array.from({ length: count }, (_, slot) => {
      const model = PHONE_MODELS[slot % PHONE_MODELS.length] as (typeof PHONE_MODELS)[number];
      const startInTurn = <T>(start: () => Promise<T>) => this.#inTurn(start);
      return new SimulatedPhone({ id: phoneId(hostId, slot), model, log, startInTurn, onChange: tell });
    });
    tell();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#phones.map((phone) => phone[Symbol.asyncDispose]()));
    this.#phones = [];
  }

  /** One start at a time: together they would only slow each other down, and whoever uses a phone meanwhile. */
  #inTurn<T>(start: () => Promise<T>): Promise<T> {
    const turn = this.#starting.then(start);
    this.#starting = turn.catch(() => {});
    return turn;
  }
}

/** The same for a host and a slot whenever it starts, and another for every other host. */
function phoneId(hostId: string, slot: number): string {
  return `sim-${createHash('sha256').update(`${hostId}\n${slot}`).digest('hex').slice(0, 8)}`;
}
