import { DriverError, PhoneFileError, type PhoneNotification } from '../driver.ts';
import { inject } from './injection.ts';
import { install } from './install.ts';
import { LogLines } from './log-lines.ts';
import type { PhoneModel } from './models.ts';
import { PhoneMethods } from './phone-methods.ts';
import { ScreenStream } from './screen-stream.ts';
import { SimulatedDevice } from './simulated-device.ts';
import type { PhoneStorage } from './storage/phone-storage.ts';
import type { StorageTask } from './storage/simulated-files.ts';
import { StoppableClock } from './ui/clock.ts';
import type { FromPhone, ToPhone } from './worker-messages.ts';

/** Sends a message to the driver. The buffers are transferred. */
export type Post = (message: FromPhone, transfer?: ArrayBuffer[]) => void;

/** A message that concerns the session. */
export type SessionMessage = Exclude<ToPhone, { type: 'reset' }>;

/**
 * A phone from power-on until it is closed. It holds everything that a session can leave behind, so discarding it is
 * the cleaning. After it is closed it does nothing and sends nothing, even for operations that were in progress.
 */
export class PhoneLife {
  readonly #clock = new StoppableClock();
  readonly #device: SimulatedDevice;
  readonly #stream: ScreenStream;
  readonly #methods: PhoneMethods;
  readonly #send: Post;
  readonly #pending = new Map<number, AbortController>();
  #state: 'off' | 'open' | 'closed' = 'off';

  constructor(model: PhoneModel, send: Post) {
    this.#send = send;
    const log = new LogLines(this.#clock, (params) => this.#notify({ method: 'log.line', params }));
    this.#device = new SimulatedDevice(model, this.#clock, {
      needsFrame: () => this.#stream.schedule(),
      rotated: (params) => this.#notify({ method: 'device.rotated', params }),
      clipboardChanged: (text) => this.#notify({ method: 'clipboard.changed', params: { text } }),
      conditionsChanged: (values) => this.#post({ type: 'conditions', values }),
      log: (level, tag, message, app) => log.write(level, tag, message, app),
    });
    this.#stream = new ScreenStream(this.#device, this.#clock, (packet) => {
      if (packet.type === 'session') this.#post({ type: 'packet', packet });
      else this.#post({ type: 'packet', packet }, [packet.data.buffer as ArrayBuffer]);
    });
    this.#methods = new PhoneMethods(this.#device, this.#clock, log);
  }

  handle(message: SessionMessage): void {
    if (this.#state === 'closed') return;
    switch (message.type) {
      case 'open':
        this.#state = 'open';
        this.#device.setPower(true);
        break;
      case 'stream':
        this.#stream.start();
        break;
      case 'keyframe':
        this.#stream.requestKeyframe();
        break;
      case 'taken':
        this.#stream.taken();
        break;
      case 'perform':
        void this.#answer(message.id, (signal) =>
          this.#methods.perform(message.method, message.params, signal),
        );
        break;
      case 'install':
        void this.#answer(message.id, (signal) =>
          install(message.app, {
            device: this.#device,
            clock: this.#clock,
            signal,
            onProgress: (percent) => this.#post({ type: 'progress', id: message.id, percent }),
          }),
        );
        break;
      case 'storage':
        void this.#answer(message.id, async () => performStorageTask(this.#device.storage, message.task));
        break;
      case 'cancel':
        this.#pending.get(message.id)?.abort();
        break;
      case 'inject':
        this.#inject(message.bytes);
        break;
      case 'close':
        this.close();
        break;
    }
  }

  close(): void {
    this.#state = 'closed';
    for (const controller of this.#pending.values()) controller.abort();
    this.#stream.stop();
    this.#clock.stop();
  }

  async #answer(id: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const controller = new AbortController();
    this.#pending.set(id, controller);
    try {
      const result = await work(controller.signal);
      this.#post({ type: 'result', id, result });
    } catch (error) {
      const kind = error instanceof DriverError ? error.kind : 'failed';
      const message = error instanceof Error ? error.message : String(error);
      const reason = error instanceof PhoneFileError ? { reason: error.reason } : {};
      this.#post({ type: 'failure', id, kind, message, ...reason });
    } finally {
      this.#pending.delete(id);
    }
  }

  #inject(bytes: Uint8Array): void {
    inject(
      {
        device: this.#device,
        requestKeyframe: () => this.#stream.requestKeyframe(),
        sendClipboard: () =>
          this.#notify({ method: 'clipboard.changed', params: { text: this.#device.clipboard } }),
      },
      bytes,
    );
  }

  #notify(notification: PhoneNotification): void {
    this.#post({ type: 'notification', notification });
  }

  /**
   * The next session uses the same thread and restarts the numbering of commands, so nothing of this session may be
   * sent then.
   */
  #post(message: FromPhone, transfer?: ArrayBuffer[]): void {
    if (this.#state === 'open') this.#send(message, transfer);
  }
}

function performStorageTask(storage: PhoneStorage, task: StorageTask): unknown {
  switch (task.task) {
    case 'list':
      return storage.list(task.path);
    case 'open':
      return storage.open(task.path);
    case 'read':
      return storage.readAt(task.path, task.version, task.position, task.length);
    case 'begin':
      return storage.beginWrite(task.path, task);
    case 'append':
      return storage.append(task.write, task.bytes);
    case 'commit':
      return storage.commit(task.write);
    case 'discard':
      return storage.discard(task.write);
    case 'remove':
      return storage.remove(task.path);
  }
}
