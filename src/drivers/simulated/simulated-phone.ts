import { setTimeout as delay } from 'node:timers/promises';
import type { DeviceDescription } from '../../contract/http/device.ts';
import { FILES_CAPABILITY } from '../../contract/http/phone-file.ts';
import type { Log } from '../../util/log.ts';
import { unlessAborted } from '../../util/unless-aborted.ts';
import { type DeviceCapability, DriverError, type Phone, type PhoneSession } from '../driver.ts';
import { KeptState } from './kept-state.ts';
import { HARDWARE, type PhoneModel } from './models.ts';
import { SIMULATED_CAPABILITIES } from './phone-methods.ts';
import { PhoneThread } from './phone-thread.ts';
import { SimulatedSession } from './simulated-session.ts';

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;

export interface SimulatedPhoneOptions {
  id: string;
  model: PhoneModel;
  /** Where the apps and the conditions of a session are kept over a restart of the host. */
  stateFile: string;
  log: Log;
  onChange(): void;
}

/**
 * One simulated phone. Its thread starts with the first session, so that unused phones cost nothing, and is reset
 * between two sessions.
 */
export class SimulatedPhone implements Phone, AsyncDisposable {
  readonly description: DeviceDescription;
  readonly capabilities: DeviceCapability[] = [...SIMULATED_CAPABILITIES, FILES_CAPABILITY];
  readonly #options: SimulatedPhoneOptions;
  readonly #kept: KeptState;
  readonly #disposal = new AbortController();
  /**
   * The thread for the next session, resolved when it is ready, or null before the first session. Rejects when the
   * phone is disposed of.
   */
  #next: Promise<PhoneThread> | null = null;
  /** The current thread, starting or ready. */
  #live: PhoneThread | null = null;
  #session: PhoneSession | null = null;
  /** The live thread has been used by a session. */
  #used = false;
  #problem: string | null = null;
  #failures = 0;

  constructor(options: SimulatedPhoneOptions) {
    this.#options = options;
    this.#kept = new KeptState(options.stateFile, options.log);
    this.description = describe(options.id, options.model);
  }

  get problem(): string | null {
    return this.#problem;
  }

  async open({ sessionId, signal }: { sessionId: string; signal: AbortSignal }): Promise<PhoneSession> {
    const state = await this.#kept.open(sessionId);
    this.#next ??= this.#start();
    const thread = await unlessAborted(this.#next, signal);
    if (this.#session) throw new DriverError('failed', 'the simulated phone is already in use');
    if (thread !== this.#live)
      throw new DriverError('failed', 'the simulated phone has just stopped; try again');
    if (this.#used) throw new DriverError('failed', 'the simulated phone has not been cleaned');
    this.#used = true;
    const session = new SimulatedSession(thread, this.#kept, () => {
      this.#session = null;
      this.#failures = 0;
    });
    this.#session = session;
    try {
      await session.restore(state, signal);
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  async clean({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#session) throw new DriverError('failed', 'the simulated phone is in use');
    await this.#kept.clear();
    if (this.#used) {
      this.#used = false;
      if (this.#live) this.#next = this.#reset(this.#live);
    }
    if (this.#next) await unlessAborted(this.#next, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort();
    const live = this.#live;
    this.#live = null;
    await live?.[Symbol.asyncDispose]();
    await this.#next?.catch(() => {});
  }

  /** Resolves with the same thread after a reset, or with a new one if it does not answer. */
  #reset(thread: PhoneThread): Promise<PhoneThread> {
    const reset = thread.reset().then(
      () => thread,
      async (error) => {
        if (this.#disposal.signal.aborted) throw shutDown();
        // A thread that ended unexpectedly is already being replaced.
        if (this.#live !== thread) return this.#next ?? this.#start();
        this.#options.log.warn(
          { deviceId: this.description.id, err: error },
          'simulated phone could not be reset; restarting it',
        );
        this.#live = null;
        return this.#startUntilReady(thread[Symbol.asyncDispose]());
      },
    );
    reset.catch(() => {});
    return reset;
  }

  /** Starts a thread after `before`, and retries until one is ready. */
  #start(before?: Promise<void>): Promise<PhoneThread> {
    const started = this.#startUntilReady(before);
    // The caller that needs the thread handles the error. Without one, it must not count as an unhandled rejection.
    started.catch(() => {});
    return started;
  }

  async #startUntilReady(before?: Promise<void>): Promise<PhoneThread> {
    await before;
    for (;;) {
      try {
        const thread = await this.#startOnce();
        this.#setProblem(null);
        void thread.ended.then(({ detail }) => this.#stopped(thread, detail));
        return thread;
      } catch (error) {
        if (this.#disposal.signal.aborted) throw shutDown();
        this.#fail(`the simulated phone does not start: ${(error as Error).message}`);
        await this.#backOff();
      }
    }
  }

  async #startOnce(): Promise<PhoneThread> {
    this.#disposal.signal.throwIfAborted();
    const thread = new PhoneThread(this.#options.model);
    this.#live = thread;
    await thread.ready;
    return thread;
  }

  /** Handles the end of a thread that was not stopped on purpose. */
  #stopped(thread: PhoneThread, detail: string): void {
    if (this.#live !== thread) return;
    this.#live = null;
    this.#session = null;
    this.#used = false;
    this.#fail(`the simulated phone stopped: ${detail}`);
    this.#next = this.#start(this.#backOff());
  }

  #fail(problem: string): void {
    this.#failures++;
    this.#options.log.warn({ deviceId: this.description.id, failures: this.#failures }, problem);
    this.#setProblem(problem);
  }

  async #backOff(): Promise<void> {
    const ms = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS);
    await delay(ms, undefined, { signal: this.#disposal.signal, ref: false }).catch(() => {});
  }

  #setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange();
  }
}

const shutDown = () => new DriverError('failed', 'the simulated phone was shut down');

function describe(id: string, model: PhoneModel): DeviceDescription {
  return {
    id,
    name: model.name,
    brand: model.brand,
    model: model.code,
    os_version: String(model.os),
    screen_size: String(model.inches),
    resolution: `${model.width}x${model.height}`,
    platform: 'android',
    kind: 'simulated',
    battery_percent: HARDWARE.batteryPercent,
  };
}
