import { Duplex } from 'node:stream';
import { DriverError, type PhoneAdb } from '../../driver.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { ReverseTunnels } from './reverse-tunnels.ts';
import { admitService } from './services.ts';

/** The properties that make up a phone's adb banner, in order. */
const NAMED = ['ro.product.name', 'ro.product.model', 'ro.product.device'];
/** The payload of one tunnel message. */
const READ_AHEAD_BYTES = 256 * 1024;
/**
 * Features that concern the connection between the phone's daemon and its host's adb server, and are not forwarded.
 */
const TRANSPORT_FEATURES = ['delayed_ack'];

/** The part of a phone that one adb tunnel reaches. Each stream is a separate connection to the host's adb server. */
export class AndroidAdb implements PhoneAdb {
  readonly banner: string;
  readonly #device: AdbDevice;
  readonly #reverses: ReverseTunnels;

  private constructor(device: AdbDevice, banner: string) {
    this.banner = banner;
    this.#device = device;
    this.#reverses = new ReverseTunnels(device);
  }

  /** @throws AdbError */
  static async open(device: AdbDevice, signal: AbortSignal): Promise<AndroidAdb> {
    const line = NAMED.map((name) => `getprop ${name}`).join('; ');
    const [features, { stdout }] = await Promise.all([
      device.features(signal),
      device.shell(line, { signal }),
    ]);
    const values = stdout.toString('utf8').split('\n');
    const named = NAMED.map((name, at) => `${name}=${(values[at] ?? '').replaceAll(/[;\r]/g, '')};`);
    const passed = features.split(',').filter((feature) => !TRANSPORT_FEATURES.includes(feature.trim()));
    return new AndroidAdb(device, `device::${named.join('')}features=${passed.join(',')}`);
  }

  onConnection(listener: (target: string, stream: Duplex) => void): void {
    this.#reverses.onConnection = listener;
  }

  async open(service: string, { signal }: { signal: AbortSignal }): Promise<Duplex> {
    const admission = admitService(service);
    if (!admission)
      throw new DriverError(
        'unsupported',
        `the adb service ${service.slice(0, 60)} is not available on a borrowed phone`,
      );
    if (admission.to === 'rejected') return textStream(admission.words);
    try {
      if (admission.to === 'reverse')
        return textStream(await this.#reverses.answer(admission.request, signal));
      const options = { readAhead: READ_AHEAD_BYTES, timeoutMs: null };
      return await this.#device.open(service, signal, options);
    } catch (error) {
      if (error instanceof AdbError) throw new DriverError('failed', error.message);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reverses.close();
  }
}

/** Creates a stream that outputs this text and ends, whatever is written to it. */
function textStream(text: string): Duplex {
  let isPassed = false;
  return new Duplex({
    read() {
      if (!isPassed) this.push(text);
      isPassed = true;
      this.push(null);
    },
    write(_chunk, _encoding, done) {
      done();
    },
  });
}
