// The worker thread of a campaign. If the target loops forever, fills the heap or throws in a callback, the
// supervising thread can still report the input that caused it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { randomFrom } from '../../fixtures/random.ts';
import { Coverage } from './coverage.ts';
import { wordsOf } from './dictionary.ts';
import { Blackbox, type CampaignOptions, type CampaignReport, type ThreadMessage } from './messages.ts';
import { Mutator } from './mutator.ts';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_MS, type Target } from './target.ts';
import { loadTarget } from './targets.ts';

const SOURCES = new URL('../../../src/', import.meta.url).href;
/** Maximum number of inputs that run between two checks of the coverage while nothing new is found. */
const MAX_BATCH = 256;
/**
 * Maximum time between two turns of the event loop, in ms. Deferred work of inputs, such as freeing native memory,
 * runs during these turns.
 */
const TURN_MS = 20;

class Campaign {
  readonly #target: Target;
  readonly #options: CampaignOptions;
  readonly #blackbox: Blackbox;
  readonly #coverage: Coverage;
  readonly #mutator: Mutator;
  readonly #corpus: Buffer[] = [];
  readonly #started = performance.now();
  #turnedAt = performance.now();

  constructor(target: Target, options: CampaignOptions, blackbox: Blackbox) {
    this.#target = target;
    this.#options = options;
    this.#blackbox = blackbox;
    const { covers = [] } = target;
    this.#coverage = new Coverage(
      (url) => url.startsWith(SOURCES) || covers.some((part) => url.includes(part)),
    );
    this.#mutator = new Mutator(randomFrom(options.seed), target.maxBytes ?? DEFAULT_MAX_BYTES);
  }

  async run(): Promise<CampaignReport> {
    if (this.#options.only) await this.#runOne(Buffer.from(this.#options.only));
    else await this.#search();
    // An uncaught exception of the last inputs ends the thread here. A report that was sent before could overtake it.
    await nextTurn();
    return {
      runs: this.#blackbox.runs,
      seconds: (performance.now() - this.#started) / 1_000,
      kept: this.#corpus.length,
      ...this.#coverage.reached,
    };
  }

  async #search(): Promise<void> {
    this.#coverage.skip();
    for (const seed of this.#target.seeds()) await this.#keepIfNew(Buffer.from(seed));
    if (this.#corpus.length === 0) throw new Error('no seed executes any instrumented code');
    let size = 1;
    while (!this.#isOver) {
      this.#mutator.words = wordsOf(this.#coverage.files);
      const batch = Array.from({ length: size }, () => this.#mutator.mutate(this.#corpus));
      for (const input of batch) await this.#runOne(input);
      const foundNew = this.#coverage.glance();
      if (foundNew) for (const input of batch) await this.#keepIfNew(input);
      size = foundNew ? 1 : Math.min(size * 2, MAX_BATCH);
    }
  }

  get #isOver(): boolean {
    return this.#blackbox.runs >= this.#options.runs || performance.now() - this.#started >= this.#options.ms;
  }

  async #keepIfNew(input: Buffer): Promise<void> {
    await this.#runOne(input);
    if (this.#coverage.look()) this.#corpus.push(input);
  }

  async #runOne(input: Buffer): Promise<void> {
    this.#blackbox.begin(input);
    const before = process.threadCpuUsage();
    await this.#target.run(Buffer.from(input));
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1_000;
    const { maxMs = DEFAULT_MAX_MS } = this.#target;
    if (ms > maxMs) throw new Error(`it took ${Math.round(ms)} ms of CPU time; the limit is ${maxMs}`);
    if (performance.now() - this.#turnedAt < TURN_MS) return;
    await nextTurn();
    this.#turnedAt = performance.now();
  }
}

const { options, shared } = workerData as { options: CampaignOptions; shared: SharedArrayBuffer };
let message: ThreadMessage;
try {
  const target = await loadTarget(options.url);
  message = { report: await new Campaign(target, options, new Blackbox(shared)).run() };
} catch (error) {
  message = { failure: (error as Error).stack ?? String(error) };
}
parentPort!.postMessage(message);
