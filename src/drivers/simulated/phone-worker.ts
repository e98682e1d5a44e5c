import { parentPort, workerData } from 'node:worker_threads';
import { DriverError, type PhoneNotification } from '../driver.ts';
import { inject } from './injection.ts';
import { LogLines } from './log-lines.ts';
import { PhoneMethods } from './phone-methods.ts';
import { ScreenStream } from './screen-stream.ts';
import { SimulatedDevice } from './simulated-device.ts';
import { systemClock } from './ui/clock.ts';
import { registerFonts } from './ui/fonts.ts';
import type { FromPhone, ToPhone, WorkerData } from './worker-messages.ts';

/** The thread of one simulated phone: it lives for one session, so that nothing of it can reach the next. */
class PhoneThread {
  readonly #device: SimulatedDevice;
  readonly #stream: ScreenStream;
  readonly #methods: PhoneMethods;
  readonly #pending = new Map<number, AbortController>();
  #open = false;

  constructor({ model }: WorkerData) {
    const log = new LogLines(systemClock, (params) => this.#notify({ method: 'log.line', params }));
    this.#device = new SimulatedDevice(model, systemClock, {
      needsFrame: () => this.#stream.schedule(),
      rotated: (params) => this.#notify({ method: 'device.rotated', params }),
      clipboardChanged: (text) => this.#notify({ method: 'clipboard.changed', params: { text } }),
      log: (level, tag, message) => log.write(level, tag, message),
    });
    this.#stream = new ScreenStream(this.#device, systemClock, (packet) => {
      if (packet.type === 'session') post({ type: 'packet', packet });
      else post({ type: 'packet', packet }, [packet.data.buffer as ArrayBuffer]);
    });
    this.#methods = new PhoneMethods(this.#device, systemClock, log);
  }

  /** Goes once through what the first session will need, and goes to sleep. */
  warmUp(): void {
    this.#device.setPower(true);
    this.#stream.warmUp();
    this.#device.setPower(false);
    post({ type: 'ready' });
  }

  handle(message: ToPhone): void {
    switch (message.type) {
      case 'open':
        this.#open = true;
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
        void this.#perform(message);
        break;
      case 'cancel':
        this.#pending.get(message.id)?.abort();
        break;
      case 'inject':
        this.#inject(message.bytes);
        break;
      case 'close':
        this.#close();
        break;
    }
  }

  async #perform({ id, method, params }: Extract<ToPhone, { type: 'perform' }>): Promise<void> {
    const controller = new AbortController();
    this.#pending.set(id, controller);
    try {
      const result = await this.#methods.perform(method, params, controller.signal);
      post({ type: 'result', id, result });
    } catch (error) {
      const kind = error instanceof DriverError ? error.kind : 'failed';
      post({ type: 'failure', id, kind, message: error instanceof Error ? error.message : String(error) });
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

  #close(): void {
    this.#open = false;
    for (const controller of this.#pending.values()) controller.abort();
    this.#stream.stop();
    this.#device.setPower(false);
  }

  #notify(notification: PhoneNotification): void {
    if (this.#open) post({ type: 'notification', notification });
  }
}

function post(message: FromPhone, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

registerFonts();
const thread = new PhoneThread(workerData as WorkerData);
parentPort?.on('message', (message: ToPhone) => thread.handle(message));
thread.warmUp();
