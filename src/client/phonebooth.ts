import type { Device } from '../contract/device.ts';
import type { BorrowOptions } from './borrow.ts';
import { PhoneSession } from './phone-session.ts';
import { type ConnectOptions, type DeviceQuery, PhoneboothClient } from './phonebooth-client.ts';
import { ServiceError } from './service-error.ts';
import type { WebSocketClass } from './stream-socket.ts';

export interface PhoneboothOptions {
  /** `https://phones.example.com/v1`, or without the version. */
  url: string;
  key: string;
  fetch?: typeof fetch;
  /** Where there is none of its own (Node 20), or to trust another authority: the one of the package `ws`. */
  webSocket?: WebSocketClass;
  /** Where the sockets are reached from here, when not at the addresses that the service hands out. */
  socketOrigin?: string;
}

/** A connect that got no answer may have lent the phone: it is asked again with the same key, so often. */
const CONNECT_ATTEMPTS = 3;

/** A service that lends phones, and what one does with it. `api` has the operations as they are. */
export class Phonebooth {
  readonly api: PhoneboothClient;
  readonly #webSocket: WebSocketClass | undefined;

  constructor({ url, key, fetch, webSocket, socketOrigin }: PhoneboothOptions) {
    this.#webSocket = webSocket;
    this.api = new PhoneboothClient({ baseUrl: withVersion(url), key, fetch, socketOrigin });
    if (!webSocket && globalThis.WebSocket === undefined) {
      throw new Error('there is no WebSocket here: pass that of the package ws as `webSocket`');
    }
  }

  /** All phones that match, page by page. */
  async *devices(query: Omit<DeviceQuery, 'page' | 'page_size'> = {}): AsyncGenerator<Device, void> {
    for (let page = 1; ; page += 1) {
      const { items, total } = await this.api.listDevices({ ...query, page, page_size: 100 });
      yield* items;
      if (page * 100 >= total) return;
    }
  }

  /**
   * Borrows this phone. `await session.ready` waits until it takes commands.
   * @throws ServiceError 40010 when it is not free, 40011 when the account has too little left
   */
  async connect(deviceId: string, options: ConnectOptions = {}): Promise<PhoneSession> {
    const key = crypto.randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#sessionOf(await this.api.connect(deviceId, options, key));
      } catch (error) {
        const unanswered = error instanceof ServiceError && (error.code === 0 || error.code === 50300);
        if (!unanswered || attempt === CONNECT_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500 * attempt));
      }
    }
  }

  /**
   * Borrows any free phone that matches; with `wait` (seconds) queues for one.
   * @throws ServiceError 40010 when there is none in time, 40004 when none matches at all
   */
  async borrow(options: BorrowOptions = {}): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.borrow(options));
  }

  /** Goes on with a session that was begun elsewhere. */
  async attach(sessionId: string): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.getSession(sessionId));
  }

  #sessionOf(session: ConstructorParameters<typeof PhoneSession>[1]): PhoneSession {
    return new PhoneSession(this.api, session, this.#webSocket ? { webSocket: this.#webSocket } : {});
  }
}

function withVersion(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
