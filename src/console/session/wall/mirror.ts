import type { ControlMethod, ControlParams } from '../../../contract/sockets/control-methods.ts';

/** The input that is mirrored. Rotating is not, because phones rotate one after the other. */
const MIRRORED: readonly ControlMethod[] = ['touch', 'scroll', 'key', 'text', 'power', 'clipboard.set'];

/** One phone on the wall, as the mirror sees it. */
export interface MirroredPhone {
  /** Null until its video has a size. */
  orientation: 'portrait' | 'landscape' | null;
  /** Whether it accepts input now. */
  isReady: boolean;
  send(method: ControlMethod, params: unknown): void;
}

export interface MirrorState {
  isOn: boolean;
  /** Number of phones that receive the input. */
  ready: number;
  /** Why it stopped by itself, or null. */
  stopped: 'orientation' | null;
}

const OFF: MirrorState = { isOn: false, ready: 0, stopped: null };

/**
 * Sends the input for one phone to the others too, while it is switched on. Points are fractions of the screen, so it
 * stops when the orientations differ: the same point would be something else.
 */
export class Mirror {
  readonly #phones = new Map<string, MirroredPhone>();
  readonly #listeners = new Set<() => void>();
  /** The fingers that are down, by the phone that the user touches and the pointer. */
  readonly #down = new Map<string, { from: string; params: ControlParams<'touch'> }>();
  #state = OFF;

  readonly state = (): MirrorState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds a phone, or replaces what is known about it. */
  set(id: string, phone: MirroredPhone): void {
    this.#phones.set(id, phone);
    this.#check();
  }

  remove(id: string): void {
    this.#phones.delete(id);
    this.#check();
  }

  start(): void {
    this.#change({ ...OFF, isOn: true });
    this.#check();
  }

  stop(stopped: MirrorState['stopped'] = null): void {
    for (const { from, params } of this.#down.values()) {
      this.#toOthers(from, 'touch', { ...params, action: 'cancel' });
    }
    this.#down.clear();
    this.#change({ ...OFF, stopped });
  }

  /** Sends what was sent to one phone to the others. */
  send(from: string, method: ControlMethod, params: unknown): void {
    if (!this.#state.isOn || !MIRRORED.includes(method)) return;
    if (method === 'touch') this.#track(from, params as ControlParams<'touch'>);
    this.#toOthers(from, method, params);
  }

  #track(from: string, params: ControlParams<'touch'>): void {
    const finger = `${from} ${params.pointer ?? 0}`;
    if (params.action === 'down' || params.action === 'move') this.#down.set(finger, { from, params });
    else this.#down.delete(finger);
  }

  #toOthers(from: string, method: ControlMethod, params: unknown): void {
    for (const [id, phone] of this.#phones) if (id !== from && phone.isReady) phone.send(method, params);
  }

  #check(): void {
    if (!this.#state.isOn) return;
    const phones = [...this.#phones.values()];
    const orientations = new Set(phones.flatMap(({ orientation }) => orientation ?? []));
    if (orientations.size > 1) {
      this.stop('orientation');
      return;
    }
    const ready = phones.filter(({ isReady }) => isReady).length;
    if (ready !== this.#state.ready) this.#change({ ...this.#state, ready });
  }

  #change(state: MirrorState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
