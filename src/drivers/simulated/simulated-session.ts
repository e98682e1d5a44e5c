import type { ControlParams, PhoneMethod } from '../../contract/sockets/control-methods.ts';
import { encodePacket } from '../../contract/sockets/stream-packets.ts';
import { allocatePacket } from '../../media/viewer-message.ts';
import {
  type AppPackage,
  DriverError,
  type InstallOptions,
  PhoneFileError,
  type PhoneFiles,
  type PhoneNotification,
  type PhoneSession,
} from '../driver.ts';
import type { KeptState, PhoneState } from './kept-state.ts';
import { SIMULATED_CAPABILITIES } from './phone-methods.ts';
import type { PhoneThread } from './phone-thread.ts';
import { SimulatedFiles } from './storage/simulated-files.ts';
import type { FromPhone, ToPhone } from './worker-messages.ts';

/** Maximum number of commands in flight. Further commands fail. */
const MAX_PENDING = 256;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  onProgress(percent: number): void;
}

/** A simulated phone in use: the driver's side of its thread. */
export class SimulatedSession implements PhoneSession {
  readonly capabilities = [...SIMULATED_CAPABILITIES];
  readonly files: PhoneFiles;
  readonly lost: Promise<{ detail: string }>;
  readonly #thread: PhoneThread;
  readonly #pending = new Map<number, Pending>();
  readonly #kept: KeptState;
  readonly #onClosed: () => void;
  #nextId = 1;
  #onPacket: ((packet: Uint8Array) => void) | null = null;
  #onNotification: (notification: PhoneNotification) => void = () => {};
  #closed = false;

  /** `onClosed` is called once, when the session is closed. */
  constructor(thread: PhoneThread, kept: KeptState, onClosed: () => void) {
    this.#thread = thread;
    this.#kept = kept;
    this.#onClosed = onClosed;
    const { promise, resolve } = Promise.withResolvers<{ detail: string }>();
    this.lost = promise;
    thread.onMessage((message) => this.#take(message));
    void thread.ended.then((end) => {
      this.#rejectPending(`the simulated phone stopped: ${end.detail}`);
      if (!this.#closed) resolve(end);
    });
    this.files = new SimulatedFiles(async (task, signal) => {
      this.#assertOpen();
      return this.#ask((id) => ({ type: 'storage', id, task }), signal);
    });
    thread.post({ type: 'open' });
  }

  onPacket(listener: (packet: Uint8Array) => void): void {
    const first = this.#onPacket === null;
    this.#onPacket = listener;
    if (first) this.#thread.post({ type: 'stream' });
  }

  requestKeyframe(): void {
    if (!this.#closed) this.#thread.post({ type: 'keyframe' });
  }

  async perform(method: PhoneMethod, params: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> {
    if (!this.capabilities.includes(method)) {
      throw new DriverError(
        'unsupported',
        `simulated phones do not support ${method}; borrow an Android phone`,
      );
    }
    this.#assertOpen();
    const result = await this.#ask((id) => ({ type: 'perform', id, method, params }), signal);
    if (method === 'app.uninstall')
      await this.#kept.removeApp((params as ControlParams<'app.uninstall'>).package);
    // The method may have changed conditions.
    await this.#kept.written;
    return result;
  }

  async install({ appId: _, files: __, ...app }: AppPackage, options: InstallOptions): Promise<void> {
    this.#assertOpen();
    await this.#ask((id) => ({ type: 'install', id, app }), options.signal, options.onProgress);
    await this.#kept.addApp(app);
  }

  /** Restores the apps and the conditions that the session had before its host restarted. */
  async restore({ apps, conditions: params }: PhoneState, signal: AbortSignal): Promise<void> {
    await Promise.all(apps.map((app) => this.#ask((id) => ({ type: 'install', id, app }), signal)));
    if (Object.keys(params).length === 0) return;
    await this.#ask((id) => ({ type: 'perform', id, method: 'conditions.set', params }), signal);
  }

  #assertOpen(): void {
    if (this.#closed) throw new DriverError('failed', 'the session has ended');
    if (this.#pending.size >= MAX_PENDING) {
      throw new DriverError(
        'failed',
        `${MAX_PENDING} commands are already waiting for the phone; wait for a result first`,
      );
    }
  }

  async #ask(
    message: (id: number) => ToPhone,
    signal: AbortSignal,
    onProgress: (percent: number) => void = () => {},
  ): Promise<unknown> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, { ...answer, onProgress });
    const onAbort = () => {
      this.#thread.post({ type: 'cancel', id });
      answer.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#thread.post(message(id));
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
    }
  }

  inject(message: Uint8Array): void {
    if (!this.#closed) this.#thread.post({ type: 'inject', bytes: message });
  }

  onNotification(listener: (notification: PhoneNotification) => void): void {
    this.#onNotification = listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#thread.onMessage(() => {});
    this.#thread.post({ type: 'close' });
    this.#rejectPending('the session has ended');
    this.#onClosed();
  }

  #take(message: FromPhone): void {
    switch (message.type) {
      case 'packet':
        this.#thread.post({ type: 'taken' });
        this.#onPacket?.(encodePacket(message.packet, allocatePacket));
        break;
      case 'notification':
        this.#onNotification(message.notification);
        break;
      case 'conditions':
        void this.#kept.setConditions(message.values);
        break;
      case 'progress':
        this.#pending.get(message.id)?.onProgress(message.percent);
        break;
      case 'result':
        this.#pending.get(message.id)?.resolve(message.result);
        break;
      case 'failure':
        this.#pending.get(message.id)?.reject(errorOf(message));
        break;
      case 'ready':
        return;
    }
  }

  #rejectPending(message: string): void {
    for (const pending of this.#pending.values()) pending.reject(new DriverError('failed', message));
    this.#pending.clear();
  }
}

const errorOf = ({ kind, message, reason }: Extract<FromPhone, { type: 'failure' }>): DriverError =>
  reason ? new PhoneFileError(reason, message) : new DriverError(kind, message);
