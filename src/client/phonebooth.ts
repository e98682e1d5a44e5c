import type { Device } from '../contract/http/device.ts';
import type { Session } from '../contract/http/session.ts';
import { WEBDRIVER_PATH } from '../contract/http/webdriver.ts';
import type { BorrowOptions } from './borrow.ts';
import { PhoneSession } from './phone-session.ts';
import { type ConnectOptions, type DeviceQuery, PhoneboothClient } from './phonebooth-client.ts';
import type { WriteOptions } from './request.ts';
import type { WebSocketClass } from './web-socket.ts';

export interface PhoneboothOptions {
  /** `https://phones.example.com/v1`, or the same without the version. */
  url: string;
  key: string;
  fetch?: typeof fetch;
  /**
   * The WebSocket class to use: the one of the package `ws` in Node 20, which has no built-in one, or a class that
   * trusts another certificate authority.
   */
  webSocket?: WebSocketClass;
  /**
   * The origin at which this machine reaches the sockets, if it differs from the addresses that the service returns.
   */
  socketOrigin?: string;
}

/** Maximum number of retries of a request that received no response and can be repeated safely. */
const RETRIES = 2;

/** The SDK's entry point: a service with phones to borrow. `api` has the HTTP operations. */
export class Phonebooth {
  readonly api: PhoneboothClient;
  readonly #url: string;
  readonly #webSocket: WebSocketClass | undefined;

  /** @throws Error that names the option with an invalid value */
  constructor({ url, key, fetch, webSocket, socketOrigin }: PhoneboothOptions) {
    checkOptions(url, key);
    this.#webSocket = webSocket;
    this.#url = url;
    this.api = new PhoneboothClient({
      baseUrl: withVersion(url),
      key,
      retries: RETRIES,
      fetch,
      socketOrigin,
    });
    if (!webSocket && globalThis.WebSocket === undefined) {
      throw new Error('this runtime has no WebSocket; pass the WebSocket of the package ws as `webSocket`');
    }
  }

  /** Yields all devices that match, page by page. */
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
   * Borrows this phone. `await session.ready` waits until it accepts commands.
   * @throws ServiceError 40010 when it is not available, 40011 when the account's quota is insufficient
   */
  async connect(
    deviceId: string,
    request: ConnectOptions = {},
    options: WriteOptions = {},
  ): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.connect(deviceId, request, options));
  }

  /**
   * Borrows any available phone that matches. With `wait` (seconds) the request queues for one.
   * @throws ServiceError 40010 when none is available in time, 40004 when no phone matches
   */
  async borrow(options: BorrowOptions = {}): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.borrow(options));
  }

  /** Connects to a session that was created elsewhere and takes over its control. With `watch` it only watches. */
  async attach(
    sessionId: string,
    { watch = false, signal }: { watch?: boolean; signal?: AbortSignal } = {},
  ): Promise<PhoneSession> {
    return this.#sessionOf(await this.api.getSession(sessionId, signal), watch);
  }

  /** Returns the address of the console page on which a person watches and controls a session. */
  pageOf(sessionId: string): string {
    return withVersion(this.#url).replace(/v\d+$/, `sessions/${encodeURIComponent(sessionId)}`);
  }

  /**
   * The endpoint of WebDriver clients. With the session's id as `session_id` in the capability `phonebooth:options`, they
   * use a phone that is already borrowed.
   */
  get webDriverUrl(): string {
    return withVersion(this.#url).replace(/\/v\d+$/, WEBDRIVER_PATH);
  }

  #sessionOf(session: Session, watch = false): PhoneSession {
    return new PhoneSession(this.api, session, {
      watch,
      ...(this.#webSocket && { webSocket: this.#webSocket }),
    });
  }
}

/** Programs often read both from environment variables, one of which may not be set. */
function checkOptions(url: string, key: string): void {
  if (!/^https?:\/\/[^/]/i.test(url))
    throw new Error('`url` must be the URL of a service, such as https://phones.example.com');
  if (!/^[\x21-\x7e]+$/.test(key ?? ''))
    throw new Error('`key` must be an API key; check that the variable from which it is read is set');
}

function withVersion(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
