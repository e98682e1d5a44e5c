import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';

/** Bit for code that ran at all. The other bits encode the execution count, in increasing steps. */
const RAN = 1;
const STEPS = [1, 2, 4, 8, 16, 64, 1024];

/** A function that ran, and the execution counts of its blocks. */
interface Ran {
  script: string;
  ranges: Profiler.CoverageRange[];
}

/**
 * Records which code has run, from V8's own block counters. Reading the counters takes about 1 ms, however little has
 * run since the previous read. A caller that runs short inputs therefore reads them once for many inputs.
 */
export class Coverage implements Disposable {
  readonly #session = new Session();
  readonly #counts: (url: string) => boolean;
  /** What has been seen so far: for each function, by its location, the bits of each of its characters. */
  readonly #seen = new Map<string, Uint8Array>();

  /**
   * Starts to record coverage. Create one instance per thread, because V8 resets its counters when they are read.
   * @param counts selects the scripts to record; scripts that were created at run time, such as a compiled schema,
   * are always recorded
   */
  constructor(counts: (url: string) => boolean) {
    this.#counts = counts;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Whether any code ran for the first time since the previous read. Does not record it as seen. */
  glance(): boolean {
    return this.#take().some((it) => this.#isNew(it, () => RAN));
  }

  /** Whether any code ran for the first time, or more often than before. Records it as seen. */
  look(): boolean {
    return this.#take().filter((it) => this.#isNew(it, step, true)).length > 0;
  }

  /** Discards what ran since the previous read. */
  skip(): void {
    this.#take();
  }

  /** Of the functions that ran: their number, the characters that ran, and all of their characters. */
  get reached(): { functions: number; covered: number; characters: number } {
    const functions = [...this.#seen.values()];
    const sum = (count: (bits: Uint8Array) => number) => functions.reduce((all, it) => all + count(it), 0);
    return {
      functions: functions.length,
      covered: sum((bits) => bits.reduce((all, bit) => all + (bit & RAN), 0)),
      characters: sum((bits) => bits.length),
    };
  }

  /** Files with code that ran. */
  get files(): Set<string> {
    const scripts = [...this.#seen.keys()].map((place) => place.slice(0, place.lastIndexOf('#')));
    return new Set(scripts.filter((script) => script.startsWith('file:')));
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }

  #take(): Ran[] {
    let scripts: Profiler.ScriptCoverage[] = [];
    // Within one thread, the callback runs before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      scripts = result;
    });
    return scripts
      .filter(({ url }) => url === '' || this.#counts(url))
      .flatMap(({ url, scriptId, functions }) =>
        functions.map(({ ranges }) => ({ script: url || scriptId, ranges })),
      );
  }

  /**
   * Whether a function has new coverage. Its first range is the whole function. The other ranges are blocks with a
   * different execution count.
   */
  #isNew({ script, ranges }: Ran, bitsOf: (count: number) => number, keep = false): boolean {
    const { startOffset, endOffset } = ranges[0]!;
    const place = `${script}#${startOffset}-${endOffset}`;
    const seen = this.#seen.get(place) ?? new Uint8Array(endOffset - startOffset);
    const now = new Uint8Array(seen.length);
    for (const range of ranges) {
      now.fill(
        range.count > 0 ? bitsOf(range.count) : 0,
        range.startOffset - startOffset,
        range.endOffset - startOffset,
      );
    }
    const isNew = now.some((bits, at) => (bits & ~seen[at]!) !== 0);
    if (keep && isNew) {
      for (const [at, bits] of now.entries()) seen[at]! |= bits;
      this.#seen.set(place, seen);
    }
    return isNew;
  }
}

const step = (count: number) => RAN | (2 << STEPS.findLastIndex((least) => count >= least));
