/** What a campaign runs. Either bound ends it. */
export interface CampaignOptions {
  /** The address of its module, which exports a `target`. */
  url: string;
  seed: number;
  /** Inputs. */
  runs: number;
  ms: number;
  /** Only this input, once. */
  only?: Uint8Array;
}

export interface CampaignReport {
  runs: number;
  seconds: number;
  /** Inputs that were kept, since they ran what no other had. */
  kept: number;
  functions: number;
  covered: number;
  characters: number;
}

export type ThreadMessage = { report: CampaignReport } | { failure: string };

/**
 * What the worker leaves where it can be read from outside while it is busy, or after its end: how many inputs it has run,
 * and the one that it is at.
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
