/** Parameters of a campaign. It ends at the first limit that it reaches. */
export interface CampaignOptions {
  /** URL of a module that exports a `target`. */
  url: string;
  seed: number;
  /** Limit on the number of inputs. */
  runs: number;
  ms: number;
  /** If set, the campaign runs only this input, once. */
  only?: Uint8Array;
}

export interface CampaignReport {
  runs: number;
  seconds: number;
  /** Number of inputs that were kept because they reached new code. */
  kept: number;
  functions: number;
  covered: number;
  characters: number;
}

export type ThreadMessage = { report: CampaignReport } | { failure: string };

/**
 * Memory that the supervising thread can read while the worker is busy or after it has ended. It contains the number
 * of inputs that were run and the current input.
 */
export class Blackbox {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #input: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared, 0, 2);
    this.#input = new Uint8Array(shared, 8);
  }

  static of(maxBytes: number): Blackbox {
    return new Blackbox(new SharedArrayBuffer(8 + maxBytes));
  }

  begin(input: Buffer): void {
    this.#input.set(input);
    this.#numbers[1] = input.length;
    this.#numbers[0]! += 1;
  }

  get runs(): number {
    return this.#numbers[0]!;
  }

  get input(): Buffer {
    return Buffer.from(this.#input.slice(0, this.#numbers[1]));
  }
}
