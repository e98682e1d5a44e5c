import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Blackbox, type CampaignOptions, type CampaignReport, type ThreadMessage } from './messages.ts';
import { LARGEST_MAX_BYTES } from './target.ts';

const LOOK_MS = 200;
/** Time that a target may take to load on a busy machine, and that one input may take to run there, in ms. */
const START_MS = 60_000;
const STUCK_MS = 20_000;
/** Limits of the thread's JavaScript heap and of the growth of the process's total memory. */
const MAX_HEAP_MIB = 256;
const MAX_GROWTH_BYTES = 1024 * 1024 * 1024;

/** A failure of a target, with the input that caused it. */
export class Finding extends Error {
  readonly input: Buffer;

  constructor(url: string, input: Buffer, what: string) {
    const target = basename(url, '.ts');
    const again = `npm run fuzz ${target} -- --input ${input.toString('base64')}`;
    super(`${target} at an input of ${input.length} bytes: ${what}\nAgain by: ${again}`);
    this.name = 'Finding';
    this.input = input;
  }
}

/**
 * Runs a target on inputs until one of the limits is reached.
 * @param stuckMs time that one input may take, in ms
 * @throws Finding
 */
export async function runCampaign(options: CampaignOptions, stuckMs = STUCK_MS): Promise<CampaignReport> {
  const blackbox = Blackbox.of(Math.max(LARGEST_MAX_BYTES, options.only?.length ?? 0));
  const thread = new Worker(new URL('./campaign-thread.ts', import.meta.url), {
    workerData: { options, shared: blackbox.shared },
    // The coverage of code from the cache lacks the blocks of its functions.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  const watching = new AbortController();
  try {
    return await Promise.race([end(thread), watch(blackbox, stuckMs, watching.signal)]);
  } catch (error) {
    throw new Finding(options.url, blackbox.input, (error as Error).message);
  } finally {
    watching.abort();
    await thread.terminate();
  }
}

/**
 * Resolves with the report at the end of a campaign.
 * @throws Error that says why the thread ended early
 */
function end(thread: Worker): Promise<CampaignReport> {
  const { promise, resolve, reject } = Promise.withResolvers<CampaignReport>();
  thread.on('message', (message: ThreadMessage) => {
    if ('report' in message) resolve(message.report);
    else reject(new Error(message.failure));
  });
  // An exception that no code awaited, or an exhausted heap.
  thread.on('error', (error) => reject(new Error((error as Error).stack)));
  thread.on('exit', (code) => reject(new Error(`the thread exited with ${code}`)));
  return promise;
}

/**
 * Watches the thread until it is aborted.
 * @throws Error if the thread is stuck or uses too much memory
 */
async function watch(blackbox: Blackbox, stuckMs: number, signal: AbortSignal): Promise<never> {
  const rss = process.memoryUsage.rss();
  let last = { runs: 0, at: performance.now() };
  for (;;) {
    await delay(LOOK_MS, undefined, { signal });
    if (blackbox.runs !== last.runs) last = { runs: blackbox.runs, at: performance.now() };
    const timeoutMs = last.runs === 0 ? START_MS : stuckMs;
    if (performance.now() - last.at > timeoutMs) throw new Error(`not finished after ${timeoutMs / 1_000} s`);
    const growth = process.memoryUsage.rss() - rss;
    if (growth > MAX_GROWTH_BYTES) throw new Error(`memory grew by ${growth} bytes`);
  }
}
