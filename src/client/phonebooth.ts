import type { Device } from '../contract/device.ts';
import type { Session } from '../contract/session.ts';
import type { BorrowOptions } from './borrow.ts';
import { PhoneSession } from './phone-session.ts';
import { type ConnectOptions, type DeviceQuery, PhoneboothClient } from './phonebooth-client.ts';
import type { WriteOptions } from './request.ts';
import type { WebSocketClass } from './web-socket.ts';

export interface PhoneboothOptions {
  /** `https://phones.example.com/v1`, or without the version. */
  url: string;
  key: string;
  fetch?: typeof fetch;
  /** The WebSocket class to use: that of the package `ws` in Node 20, which has none, or a class that trusts another authority. */
  webSocket?: WebSocketClass;
  /** Where the sockets are reached from here, when not at the addresses that the service hands out. */
  socketOrigin?: string;
}

/** How often more a request is made that got no answer, and that may be made twice. */
const RETRIES = 2;

/** A service that lends phones, and what one does with it. `api` has the operations as they are. */
export class Phonebooth {
  readonly api: PhoneboothClient;
  readonly #url: string;
  readonly #webSocket: WebSocketClass | undefined;

  constructor({ url, key, fetch, webSocket, socketOrigin }: PhoneboothOptions) {
    this.#webSocket = webSocket;
    this.#url = url;
    this.api = new PhoneboothClient({
      ...{ baseUrl: withVersion(url), key, retries: RETRIES, fetch, socketOrigin },
    });
    if (!webSocket && globalThis.WebSocket === undefined) {
      throw new Error('there is no WebSocket here: pass that of the package ws as `webSocket`');
    }
  }

  /** All phones that match, page by page. */
  async *devices(
    query: Omit<DeviceQuery, 'page' | 'page_size'> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Device, void> {
    for (let page = 1; ; page += 1) {
      const { items, total } = await this.api.listDevices({ ...query, page, page_size: 100 }, signal);
      yield* items;
      if (page * 100 >= total) return;
    }
  }

  /**
   * Borrows this phone. `await session.ready` waits until it takes commands.
   * @throws ServiceError 40010 when it is not free, 40011 when the account has too little left
   */
  async connect(
    deviceId: string,
    wish: ConnectOptions = {},
    options: WriteOptions = {},
  ): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.connect(deviceId, wish, options));
  }

  /**
   * Borrows any free phone that matches; with `wait` (seconds) queues for one.
   * @throws ServiceError 40010 when there is none in time, 40004 when none matches at all
   */
  async borrow(options: BorrowOptions = {}): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.borrow(options));
  }

  /** Goes on with a session that was begun elsewhere, and takes over its control; with `watch` only looks on. */
  async attach(
    sessionId: string,
    { watch = false, signal }: { watch?: boolean; signal?: AbortSignal } = {},
  ): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.getSession(sessionId, signal), watch);
  }

  /** Where a person watches and controls a session, in the console. */
  pageOf(sessionId: string): string {
    return withVersion(this.#url).replace(/v\d+$/, `sessions/${encodeURIComponent(sessionId)}`);
  }

  #sessionOf(session: Session, watch = false): PhoneSession {
    return new PhoneSession(this.api, session, {
      watch,
      ...(this.#webSocket && { webSocket: this.#webSocket }),
    });
  }
}

function withVersion(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
