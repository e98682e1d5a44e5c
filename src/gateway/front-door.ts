import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { ApiError, ERRORS, type ErrorName } from '../contract/errors.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { SessionRow, Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { plainAddress } from '../util/plain-address.ts';
import type { SocketPurpose } from '../util/socket-token.ts';
import type { TokenKeys } from '../util/token-keys.ts';
import type { SocketCounts } from './socket-counts.ts';
import { type FailedTokens, UpgradeGuard } from './upgrade-guard.ts';

/** What the doors of all gateways go by. */
export interface DoorRules {
  tokenKeys: Pick<TokenKeys, 'takes'>;
  /** Values of `Origin` that browsers may come from; without it any. Others than browsers send none. */
  allowedOrigins?: string[];
  /** Counts the sockets of each account; without it, one may have as many as it opens. */
  socketCounts?: Pick<SocketCounts, 'enter' | 'limit'>;
  /** Where a client is; without it, at the other end of its connection. */
  addressOf?: (request: IncomingMessage) => string;
  /** Limits addresses that send invalid tokens; without it, nothing does. */
  failures?: FailedTokens;
}

export interface FrontDoorOptions {
  rules: DoorRules;
  purpose: SocketPurpose;
  store: Pick<Store, 'getSession'>;
  log: Log;
  /** In the server's order of preference; empty when this socket has none. */
  subprotocols: readonly string[];
  /** Largest message a client may send, bytes; a larger one closes its socket with 1009. */
  maxPayload: number;
  /** Why this session can take no one else in now, or null. */
  whyFull(session: SessionRow): string | null;
  onSocket?(socket: WebSocket, session: SessionRow, address: string): void;
  /**
   * In the place of `onSocket`, where something has to be there before the 101: who gets in waits for it.
   * @throws Refusal
   */
  prepare?(session: SessionRow, address: string): Promise<Place>;
  storeTimeoutMs?: number;
  /** How long a client may take to answer a close frame before it is cut off. */
  closeTimeoutMs?: number;
}

/** What was prepared for a socket. One of the two is called, once. */
export interface Place {
  take(socket: WebSocket): void;
  /** Its client has gone. */
  abandon(): void;
}

/** An answer instead of the 101: `status` is the socket's own, where it differs from the API's. */
export class Refusal extends Error {
  readonly kind: ErrorName;
  readonly status: number;
  constructor(kind: ErrorName, message: string, status: number = ERRORS[kind].status) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

const isInvalidToken = (error: unknown) =>
  error instanceof Refusal && (error.kind === 'unauthorized' || error.kind === 'sessionNotFound');

const peerAddress = ({ socket }: IncomingMessage) => plainAddress(socket.remoteAddress ?? '');

/**
 * Decides who gets a WebSocket, before the 101. Whoever does not gets an HTTP answer with the API's envelope:
 * 404 for another path or an unknown session, 401 for a wrong token, 410 when the session has ended, 403 for an
 * origin that is not allowed, 400 when none of the subprotocols is known, 429 when the account has too many, 503 when full or the
 * store is away.
 */
export class FrontDoor {
  /** Upgrades refused so far. */
  refused = 0;
  private readonly options: FrontDoorOptions;
  private readonly server: WebSocketServer;
  private readonly path: RegExp;
  private readonly guard: UpgradeGuard;
  private closed = false;

  constructor(options: FrontDoorOptions) {
    this.options = options;
    this.guard = new UpgradeGuard(options.rules.failures);
    this.path = new RegExp(`^/${options.purpose}/([A-Za-z0-9_-]{1,128})/([A-Za-z0-9_-]{1,128})$`);
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.maxPayload,
      closeTimeout: options.closeTimeoutMs ?? 2000,
      handleProtocols: (offered) => this.chooseSubprotocol([...offered]) ?? false,
    };
    this.server = new WebSocketServer(serverOptions);
  }

  /** Refuses everyone from now on. */
  close(): void {
    this.closed = true;
  }

  /** Owns the socket from here on. */
  async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ignore = () => {};
    socket.on('error', ignore);
    try {
      const { addressOf = peerAddress } = this.options.rules;
      const address = addressOf(request);
      const admit = () => this.admit(request);
      const session = await this.guard.admit({ address, url: request.url ?? '' }, admit, isInvalidToken);
      const full = this.closed ? 'the gateway is closing' : this.options.whyFull(session);
      if (full !== null) throw new Refusal('unavailable', full);
      const place = await this.countedPlaceFor(session, address);
      socket.off('error', ignore);
      let isTaken = false;
      this.server.handleUpgrade(request, socket, head, (webSocket) => {
        isTaken = true;
        place.take(webSocket);
      });
      // Its client has gone meanwhile, or what it sent is no WebSocket's handshake.
      if (!isTaken) place.abandon();
    } catch (error) {
      this.refuse(socket, error);
    }
  }

  /** Counts among the account's sockets from here until it is closed. */
  private async countedPlaceFor(session: SessionRow, address: string): Promise<Place> {
    const { socketCounts } = this.options.rules;
    if (!socketCounts) return this.placeFor(session, address);
    const leave = socketCounts.enter(session.accountId);
    if (!leave) {
      const words = `the account has ${socketCounts.limit} sockets open, which is the most it may have`;
      throw new Refusal('rateLimited', words);
    }
    try {
      const place = await this.placeFor(session, address);
      return {
        take: (socket) => {
          socket.once('close', leave);
          place.take(socket);
        },
        abandon: () => {
          leave();
          place.abandon();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async placeFor(session: SessionRow, address: string): Promise<Place> {
    const { onSocket, prepare } = this.options;
    if (prepare) return prepare(session, address);
    return { take: (socket) => onSocket?.(socket, session, address), abandon: () => {} };
  }

  private async admit(request: IncomingMessage): Promise<SessionRow> {
    const { rules, purpose } = this.options;
    const [, token, sessionId] = this.path.exec(request.url ?? '') ?? [];
    if (token === undefined || sessionId === undefined) {
      throw new Refusal('routeNotFound', `the address is /${purpose}/<token>/<session_id>`);
    }
    const { origin } = request.headers;
    if (origin !== undefined && rules.allowedOrigins?.includes(origin) === false) {
      throw new Refusal('forbidden', 'this origin may not open the socket');
    }
    this.checkSubprotocols(request);
    const session = await this.readSession(sessionId);
    if (!session) throw new Refusal('sessionNotFound', 'the session does not exist');
    if (!(await rules.tokenKeys.takes(token, purpose, session.id, session.epoch))) {
      throw new Refusal('unauthorized', 'the token in the address is wrong');
    }
    if (session.status === 'disconnected') throw new Refusal('sessionEnded', 'the session has ended', 410);
    return session;
  }

  private async readSession(sessionId: string): Promise<SessionRow | null> {
    const { store, storeTimeoutMs = 5000, log } = this.options;
    try {
      return await withDeadline(store.getSession(sessionId), storeTimeoutMs, 'the database did not answer');
    } catch (error) {
      logUnlessOutage(
        log,
        'warn',
        { err: error, sessionId },
        'an upgrade was refused because the store did not answer in time',
      );
      throw new Refusal('unavailable', 'the service cannot look sessions up now; try again');
    }
  }

  /** A browser gives up when none of those it offered is chosen, so it is told why instead. */
  private checkSubprotocols(request: IncomingMessage): void {
    const offered = request.headers['sec-websocket-protocol'];
    if (offered === undefined) return;
    if (this.chooseSubprotocol(offered.split(',').map((name) => name.trim()))) return;
    const known = this.options.subprotocols;
    throw new Refusal(
      'invalid',
      known.length > 0 ? `the subprotocols are ${known.join(' and ')}` : 'this socket has no subprotocols',
    );
  }

  private chooseSubprotocol(offered: string[]): string | undefined {
    return this.options.subprotocols.find((name) => offered.includes(name));
  }

  private refuse(socket: Duplex, error: unknown): void {
    this.refused += 1;
    const isExpected = error instanceof Refusal || error instanceof ApiError;
    if (!isExpected) this.options.log.error({ err: error }, 'an upgrade failed');
    const refusal = isExpected ? error : new Refusal('internal', 'the gateway failed');
    const { data, headers } = refusal instanceof ApiError ? refusal : { data: {}, headers: {} };
    const body = JSON.stringify({ code: ERRORS[refusal.kind].code, message: refusal.message, data });
    const lines = [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    if (refusal.status === 401) lines.push('WWW-Authenticate: Bearer');
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (refusal instanceof Refusal && refusal.status === 429) lines.push('Retry-After: 10');
    if (refusal instanceof Refusal && refusal.status === 503) lines.push('Retry-After: 1');
    socket.once('finish', () => socket.destroy());
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }
}
