import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';

/** Ran at all; the other bits say how often, in steps that grow. */
const RAN = 1;
const STEPS = [1, 2, 4, 8, 16, 64, 1024];

/** A function that ran, and how often each of its blocks did. */
interface Ran {
  script: string;
  ranges: Profiler.CoverageRange[];
}

/**
 * What code has run so far, by V8's own counters of blocks. Reading them takes some 1 ms, however little has run since
 * the last time: whoever runs something short reads them once for many.
 */
export class Coverage implements Disposable {
  readonly #session = new Session();
  readonly #counts: (url: string) => boolean;
  /** For each function, by its place, what is known of each of its characters. */
  readonly #seen = new Map<string, Uint8Array>();

  /** `counts`: the scripts that matter. One that was made at run time, such as a compiled schema, always does. One for each thread: V8 resets its counters when they are read. */
  constructor(counts: (url: string) => boolean) {
    this.#counts = counts;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Whether something ran since the last look that never had. It is not kept in mind. */
  glance(): boolean {
    return this.#take().some((it) => this.#isNew(it, () => RAN));
  }

  /** Whether something ran that never had, or more often than it ever had. */
  look(): boolean {
    return this.#take().filter((it) => this.#isNew(it, step, true)).length > 0;
  }

  /** Forgets what ran since the last look. */
  skip(): void {
    this.#take();
  }

  /** Of the functions that ran at all: characters that ran, and all. */
  get reached(): { functions: number; covered: number; characters: number } {
    const functions = [...this.#seen.values()];
    const sum = (count: (bits: Uint8Array) => number) => functions.reduce((all, it) => all + count(it), 0);
    return {
      functions: functions.length,
      covered: sum((bits) => bits.reduce((all, bit) => all + (bit & RAN), 0)),
      characters: sum((bits) => bits.length),
    };
  }

  /** The files in which something ran. */
  get files(): Set<string> {
    const scripts = [...this.#seen.keys()].map((place) => place.slice(0, place.lastIndexOf('#')));
    return new Set(scripts.filter((script) => script.startsWith('file:')));
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }

  #take(): Ran[] {
    let scripts: Profiler.ScriptCoverage[] = [];
    // Within one thread the answer comes before `post` returns.
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

  /** The first range is the function, those within it are the blocks that ran another number of times. */
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
