import { expect } from 'vitest';
import type { Description } from './description.ts';
import { type HttpAnswer, sendHttp } from './http.ts';

/** A device, as the interface document defines it. */
export interface Device {
  id: string;
  name: string;
  brand: string;
  model: string;
  os_version: string;
  screen_size: string;
  platform: string;
  kind: string;
  resolution: string;
  status: 'available' | 'busy';
}

/** A session: the fields of the interface document and those that the service adds. */
export interface Session {
  session_id: string;
  device_id: string;
  status: 'connecting' | 'connected' | 'disconnected';
  stream_url: string;
  control_url: string;
  adb_url: string;
  expires_at: string;
  created_at: string;
  connected_at: string | null;
  ended_at: string | null;
  end_reason: string | null;
  app_id: string | null;
  app_status: 'pending' | 'installing' | 'installed' | 'failed' | null;
  app_error: string | null;
  recording: { status: string; detail: string | null } | null;
  minutes_reserved: number;
  minutes_charged: number | null;
}

export interface App {
  id: string;
  name: string;
  package: string;
  version: string;
  version_code: number;
  min_sdk: number | null;
  size: number;
  sha256: string;
  created_at: string;
  icon_url: string | null;
}

export interface Page<T> {
  total: number;
  page: number;
  page_size: number;
  items: T[];
}

export interface Usage {
  account: string;
  month: string;
  resets_at: string;
  minutes: { limit: number | null; used: number; reserved: number; remaining: number | null };
  sessions: { limit: number | null; live: number };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever field it expects, and fails when it is not there
export type Data = any;

export interface Answer<T = Data> extends HttpAnswer {
  code: number;
  message: string;
  data: T;
}

export interface RequestOptions {
  /**
   * Request body. A Buffer is sent unchanged with the given headers; anything else is sent as JSON with its content
   * type.
   */
  body?: unknown;
  headers?: Record<string, string>;
  /** Key to use instead of the suite's. null omits the Authorization header. */
  key?: string | null;
}

/** Client of the HTTP API that validates every response against the deployment's own OpenAPI document. */
export class Api {
  readonly baseUrl: string;
  readonly key: string;
  readonly description: Description;
  private readonly ca: string | undefined;

  constructor(options: { baseUrl: string; key: string; ca: string | undefined; description: Description }) {
    this.baseUrl = options.baseUrl;
    this.key = options.key;
    this.ca = options.ca;
    this.description = options.description;
  }

  /** Returns a client of the same deployment with another key. */
  withKey(key: string): Api {
    return new Api({ baseUrl: this.baseUrl, key, ca: this.ca, description: this.description });
  }

  get<T = Data>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    return this.request('GET', path, options);
  }

  post<T = Data>(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer<T>> {
    return this.request('POST', path, { body, ...options });
  }

  /** Sends a request. `path` is relative to the base URL. A response that is not JSON has code -1. */
  async request<T = Data>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const answer = await this.send(method, `${this.baseUrl}${path}`, options);
    this.description.check(method, path, answer);
    const isJson = answer.headers['content-type']?.split(';', 1)[0] === 'application/json';
    const envelope = isJson
      ? JSON.parse(answer.bytes.toString('utf8'))
      : { code: -1, message: '', data: null };
    return { ...answer, ...envelope };
  }

  /** Requests a path of the origin outside the versioned API, such as `/livez`. The response is not validated. */
  fetch(path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return sendHttp({ method: 'GET', url: `${new URL(this.baseUrl).origin}${path}`, headers, ca: this.ca });
  }

  private send(method: string, url: string, { body, headers, key = this.key }: RequestOptions) {
    const isBytes = Buffer.isBuffer(body);
    const text = body === undefined || isBytes ? (body as Buffer | undefined) : JSON.stringify(body);
    return sendHttp({
      method,
      url,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
      body: text,
      ca: this.ca,
    });
  }
}

/** Asserts success and returns the data. A failed assertion shows the whole response. */
export function succeeded<T>(answer: Answer<T>): T {
  expect({ status: answer.status, code: answer.code, message: answer.message }, describe(answer)).toEqual({
    status: 200,
    code: 0,
    message: 'success',
  });
  return answer.data;
}

/** Asserts an error's HTTP status and code. Returns its data. */
export function refused(answer: Answer, status: number, code: number): Data {
  expect({ status: answer.status, code: answer.code }, describe(answer)).toEqual({ status, code });
  expect(answer.message).not.toBe('success');
  return answer.data;
}

/** Asserts error 40000 for this field, such as `body.duration`. */
export function refusedField(answer: Answer, field: string): void {
  const { errors } = refused(answer, 400, 40000);
  expect(errors).toContainEqual({ field, message: expect.stringMatching(/\S/) });
}

const describe = (answer: Answer) => `the answer was ${answer.bytes.toString('utf8').slice(0, 600)}`;
