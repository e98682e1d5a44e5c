import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Log } from '../../util/log.ts';
import type { Driver, Phone } from '../driver.ts';
import { PHONE_MODELS } from './models.ts';
import { SimulatedPhone } from './simulated-phone.ts';

export interface SimulatedDriverOptions {
  /** Part of the hash in the phones' identifiers, which makes them unique to this host. */
  hostId: string;
  count: number;
  /** Folder in which the state of phones is kept. */
  dataDir: string;
  log: Log;
}

/** Simulated phones: their screens are drawn in software and streamed like those of any other phone. */
export class SimulatedDriver implements Driver {
  readonly #options: SimulatedDriverOptions;
  #phones: SimulatedPhone[] = [];
  #closed = false;

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
  }

  /** Resolves at once. A phone starts with its first session. */
  async start(onChange: (phones: Phone[]) => void): Promise<void> {
    const { hostId, count, dataDir, log } = this.#options;
    const reportPhones = () => {
      if (!this.#closed) onChange([...this.#phones]);
    };
    this.#phones = Array.from({ length: count }, (_, slot) => {
      const model = PHONE_MODELS[slot % PHONE_MODELS.length] as (typeof PHONE_MODELS)[number];
      const id = phoneId(hostId, slot);
      const stateFile = join(dataDir, 'simulated', `${id}.json`);
      return new SimulatedPhone({ id, model, stateFile, log, onChange: reportPhones });
    });
    reportPhones();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#phones.map((phone) => phone[Symbol.asyncDispose]()));
    this.#phones = [];
  }
}

/** A phone identifier that is stable for a host and a slot across restarts, and different for every other host. */
function phoneId(hostId: string, slot: number): string {
  return `sim-${createHash('sha256').update(`${hostId}\n${slot}`).digest('hex').slice(0, 8)}`;
}
