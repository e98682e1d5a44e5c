import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Phonebooth } from '../client/phonebooth.ts';
import type { Log } from '../util/log.ts';
import { type AgentSession, type Caller, checkLimits, MAX_TOTAL } from './agent-session.ts';
import { BorrowedPhones } from './borrowed-phones.ts';
import { phoneServer } from './phone-server.ts';

/** Maximum size of a message from an AI agent, bytes. It leaves room for a text to type, escaped as JSON. */
export const MAX_MESSAGE_BYTES = 512 * 1024;
/** If a client's event stream breaks and no request follows within this time, the client is considered gone. */
const LOST_STREAM_MS = 120_000;
const IDLE_CHECK_INTERVAL_MS = 5_000;

export interface HttpSessionsOptions {
  /** The service with the key of this caller. */
  serviceOf: (caller: Caller) => Phonebooth;
  version: string;
  log: Log;
  /** A session is ended when it has been idle for this long, ms. */
  idleMs: number;
}

export interface McpCounters {
  sessions: number;
  /** Phones held in these sessions. */
  phones: number;
  /** Sessions rejected because a limit was reached. */
  refused: number;
}

/**
 * The AI agents that are connected over HTTP. A session ends on DELETE, after it has been idle for too long, or when
 * this process shuts down. The sessions on its phones end with it.
 */
export class HttpSessions implements AsyncDisposable {
  readonly #options: HttpSessionsOptions;
  readonly #sessions = new Map<string, AgentSession>();
  readonly #timer: NodeJS.Timeout;
  /** Handles clients of the protocol revision without sessions. */
  readonly #sessionless: McpHttpHandler;
  readonly #ending = new Set<Promise<void>>();
  #refused = 0;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#sessionless = createMcpHandler(({ authInfo }) => phoneServer(phonesIn(authInfo), options), {
      legacy: 'reject',
      maxRequestBodySize: MAX_MESSAGE_BYTES,
      maxSubscriptions: MAX_TOTAL,
    });
    this.#timer = setInterval(() => this.#endIdle(), Math.min(IDLE_CHECK_INTERVAL_MS, options.idleMs / 4));
  }

  get counters(): McpCounters {
    const held = [...this.#sessions.values()].map(({ phones }) => phones.held.length);
    return {
      sessions: this.#sessions.size,
      phones: held.reduce((sum, count) => sum + count, 0),
      refused: this.#refused,
    };
  }

  /** Answers one request of an AI agent. */
  async answer(request: Request, caller: Caller): Promise<Response> {
    const message = request.method === 'POST' ? await messageOf(request) : undefined;
    if (message === null) return refusal(400, -32700, 'the message is not valid JSON');
    if (await isLegacyRequest(request, message)) return this.#answerInSession(request, message, caller);
    const session = this.#sessions.get(keySession(caller.keyId)) ?? this.#openForKey(caller);
    if (session instanceof Response) return session;
    const { phones } = session;
    phones.recordUse();
    const authInfo = { token: caller.key, clientId: caller.keyId, scopes: [], extra: { phones } };
    return this.#sessionless.fetch(request, { authInfo, parsedBody: message });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#sessionless.close();
    for (const id of [...this.#sessions.keys()]) void this.#end(id);
    await Promise.all(this.#ending);
  }

  async #answerInSession(request: Request, message: unknown, caller: Caller): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (request.method === 'POST' && isInitializeRequest(message))
        return this.#open(request, message, caller);
      return refusal(400, -32000, 'the header Mcp-Session-Id is missing; start with an initialize request');
    }
    const session = this.#sessions.get(id);
    // A session of another key is answered as if it did not exist.
    if (!session?.connection || session.keyId !== caller.keyId)
      return refusal(404, -32001, 'the MCP session does not exist or has ended; start a new one');
    session.phones.recordUse();
    session.streamLostAt = null;
    const response = await session.connection.transport.handleRequest(request, { parsedBody: message });
    if (request.method === 'GET' && response.ok) watchStream(session, request.signal);
    if (request.method === 'DELETE' && response.ok) await this.#end(id);
    return response;
  }

  async #open(request: Request, message: unknown, caller: Caller): Promise<Response> {
    const { keyId } = caller;
    const full = this.#makeRoom(caller);
    if (full) return full;
    const { serviceOf, version, log } = this.#options;
    const id = randomUUID();
    const phones = new BorrowedPhones(serviceOf(caller), log);
    const server = phoneServer(phones, { version, log });
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    this.#sessions.set(id, { ...newSession(caller, phones), connection: { server, transport } });
    log.info({ keyId, sessions: this.#sessions.size }, 'MCP session started');
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: message });
    if (!response.ok) await this.#end(id);
    return response;
  }

  #openForKey(caller: Caller): AgentSession | Response {
    const full = this.#makeRoom(caller);
    if (full) return full;
    const { serviceOf, log } = this.#options;
    const phones = new BorrowedPhones(serviceOf(caller), log);
    const session = newSession(caller, phones);
    this.#sessions.set(keySession(caller.keyId), session);
    return session;
  }

  /** Returns null when one more session is allowed. Ends another session if that makes room. */
  #makeRoom(caller: Caller): Response | null {
    const verdict = checkLimits(this.#sessions, caller);
    if (verdict === 'allowed') return null;
    if ('evict' in verdict) {
      void this.#end(verdict.evict);
      return null;
    }
    this.#refused += 1;
    return tooMany(`${verdict.reached}, which is the limit; end one with DELETE`);
  }

  #endIdle(): void {
    const now = performance.now();
    for (const [id, { phones, streamLostAt }] of this.#sessions) {
      const isLost = streamLostAt !== null && Math.min(now - streamLostAt, phones.idleMs) > LOST_STREAM_MS;
      if (isLost || phones.idleMs > this.#options.idleMs) void this.#end(id);
    }
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    const { log } = this.#options;
    log.info({ keyId: session.keyId, sessions: this.#sessions.size }, 'MCP session ended');
    const ending = (async () => {
      await session.phones[Symbol.asyncDispose]();
      await session.connection?.server.close();
    })();
    this.#ending.add(ending);
    await ending.catch((error: unknown) =>
      log.warn({ err: error }, 'MCP session could not be ended cleanly'),
    );
    this.#ending.delete(ending);
  }
}

/** The MCP library passes `authInfo` through to the factory that creates the server for a request. */
const phonesIn = (authInfo: AuthInfo | undefined) => authInfo?.extra?.phones as BorrowedPhones;

const newSession = ({ keyId, accountId }: Caller, phones: BorrowedPhones): AgentSession => ({
  keyId,
  accountId,
  phones,
  connection: null,
  isStreamOpen: false,
  streamLostAt: null,
});

function watchStream(session: AgentSession, closed: AbortSignal): void {
  session.isStreamOpen = !closed.aborted;
  closed.addEventListener('abort', () => {
    session.isStreamOpen = false;
    session.streamLostAt = performance.now();
  });
}

const keySession = (keyId: string) => `key ${keyId}`;

/** The parsed message; null when it is not valid JSON. */
async function messageOf(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text()) as unknown;
  } catch {
    return null;
  }
}

function tooMany(message: string): Response {
  const response = refusal(429, -32000, `${message}, or try again later`);
  response.headers.set('retry-after', '60');
  return response;
}

/** A JSON-RPC error without a request id, as the MCP protocol requires for errors that belong to no request. */
function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

/**
 * Converts a request of Node's HTTP server to the form that the MCP library takes, and reads its body. The signal of
 * the result is aborted when the client disconnects before it has received the whole response.
 * @returns null when the body is larger than `MAX_MESSAGE_BYTES`
 */
export async function requestOf(request: IncomingMessage, response: ServerResponse): Promise<Request | null> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const options = { signal: gone.signal, maxRequestBodySize: MAX_MESSAGE_BYTES };
    return await toWebRequest(request, undefined, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'RequestBodyTooLargeError') return null;
    throw error;
  }
}
