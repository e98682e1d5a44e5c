import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { GrantWatch } from '../access/grant-watch.ts';
import { parseSocketPath } from '../access/socket-address.ts';
import { grantOf, type SocketPurpose } from '../access/socket-token.ts';
import type { TokenKeys } from '../access/token-keys.ts';
import { ApiError, ERRORS, type ErrorName } from '../contract/http/errors.ts';
import { isWatchLink } from '../contract/http/watch-link.ts';
import { CLOSE } from '../contract/sockets/close-codes.ts';
import type { SessionRow } from '../store/entities.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { plainAddress } from '../util/plain-address.ts';
import type { SocketCounts } from './socket-counts.ts';
import { type FailedTokens, UpgradeGuard } from './upgrade-guard.ts';

/** Admission rules that all gateways share. */
export interface AdmissionRules {
  tokenKeys: Pick<TokenKeys, 'verify'>;
  /** Allowed values of the `Origin` header. If absent, any origin is allowed. Only browsers send the header. */
  allowedOrigins?: string[];
  /** Counts the sockets of each account. Without it, the number is unlimited. */
  socketCounts?: Pick<SocketCounts, 'enter' | 'limit'>;
  /** Returns the client's address. Without it, the peer address of the connection is used. */
  addressOf?: (request: IncomingMessage) => string;
  /** Limits addresses that send invalid tokens. Without it, they are not limited. */
  failures?: FailedTokens;
}

export interface UpgradeHandlerOptions {
  rules: AdmissionRules;
  purpose: SocketPurpose;
  store: Pick<Store, 'getSession' | 'validGrants'>;
  log: Log;
  /** How often the grants of the open sockets are read. */
  grantPollMs?: number;
  /** Supported subprotocols in the server's order of preference. Empty if this socket defines none. */
  subprotocols: readonly string[];
  /** Largest message that a client may send, in bytes. A larger one closes its socket with 1009. */
  maxPayload: number;
  /** Why this session cannot accept another socket now, or null. */
  whyFull(session: SessionRow): string | null;
  onSocket?(socket: WebSocket, admitted: Admitted): void;
  /**
   * Replaces `onSocket` for a socket that needs a resource before the 101. The upgrade waits for it.
   * @throws Refusal
   */
  prepare?(admitted: Admitted): Promise<Place>;
  storeTimeoutMs?: number;
  /** How long a client may take to answer a close frame before its connection is terminated. */
  closeTimeoutMs?: number;
}

/** A client whose socket address has been verified. */
export interface Admitted {
  session: SessionRow;
  /** The key or watch link that the socket address was issued to. */
  grantId: string;
  /**
   * The grant's id if the grant is known to be a key. Null for a socket address that a version without grants issued.
   */
  keyId: string | null;
  /** The client's network address. */
  address: string;
}

/** A reserved slot for a socket. Exactly one of the two methods is called, once. */
export interface Place {
  take(socket: WebSocket): void;
  /** The client disconnected before the upgrade was complete. */
  abandon(): void;
}

/** An HTTP response instead of the 101. `status` is set where the socket's status differs from the API's. */
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

/**
 * Sockets that one watch link may have open at a gateway. They are fewer than the viewers that a session may have, so that
 * the holder of a link cannot keep the session's owner from watching.
 */
const MAX_SOCKETS_PER_WATCH_LINK = 20;

/** How long a client whose grant became invalid has for the closing handshake. */
const REVOKED_CLOSE_MS = 1_000;
/** A key that is revoked ends the sessions it created. The end of the session closes their sockets with its own reason. */
const SESSION_END_FIRST_MS = 2_000;

const INVALID_GRANT = 'the API key or watch link of this URL is revoked or expired; get a new URL';

const peerAddress = ({ socket }: IncomingMessage) => plainAddress(socket.remoteAddress ?? '');

/**
 * Decides which upgrade requests get a WebSocket, before the 101. A rejected request gets an HTTP response with the
 * API's envelope: 404 for another path or an unknown session, 401 for an invalid token or one whose grant is no
 * longer valid, 410 when the session has ended, 403 for an origin that is not allowed, 400 when none of the
 * subprotocols is known, 429 when the account has too many sockets, 503 when the gateway is full or the store is
 * unavailable. An open socket is closed with 4003 when its grant becomes invalid.
 */
export class UpgradeHandler {
  /** Upgrades rejected so far. */
  refused = 0;
  private readonly options: UpgradeHandlerOptions;
  private readonly server: WebSocketServer;
  private readonly grants: GrantWatch;
  private readonly guard: UpgradeGuard;
  /** Open sockets of each watch link. */
  private readonly watching = new Map<string, number>();
  private closed = false;

  constructor(options: UpgradeHandlerOptions) {
    this.options = options;
    this.guard = new UpgradeGuard(options.rules.failures);
    const { store, log, grantPollMs: pollMs } = options;
    this.grants = new GrantWatch({
      readValid: (grantIds) => store.validGrants(grantIds),
      onError: (err) =>
        logUnlessOutage(
          log,
          'warn',
          { err },
          'keys and watch links of open sockets could not be read; retrying',
        ),
      ...(pollMs !== undefined && { pollMs }),
    });
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

  /** Rejects every upgrade from now on. */
  close(): void {
    this.closed = true;
    this.grants[Symbol.dispose]();
  }

  /** Takes ownership of the socket. */
  async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ignore = () => {};
    socket.on('error', ignore);
    try {
      const { addressOf = peerAddress } = this.options.rules;
      const address = addressOf(request);
      const admit = () => this.admit(request, address);
      const admitted = await this.guard.admit({ address, url: request.url ?? '' }, admit, isInvalidToken);
      const full = this.closed ? 'the gateway is shutting down' : this.options.whyFull(admitted.session);
      if (full !== null) throw new Refusal('unavailable', full);
      const leaveLink = this.enterWatchLink(admitted.grantId);
      const place = await this.countedPlaceFor(admitted).catch((error: unknown) => {
        leaveLink();
        throw error;
      });
      socket.off('error', ignore);
      let isTaken = false;
      this.server.handleUpgrade(request, socket, head, (webSocket) => {
        isTaken = true;
        webSocket.once('close', leaveLink);
        this.watchGrant(webSocket, admitted);
        place.take(webSocket);
      });
      // The client disconnected in the meantime, or its request is not a valid WebSocket handshake.
      if (!isTaken) {
        leaveLink();
        place.abandon();
      }
    } catch (error) {
      this.refuse(socket, error);
    }
  }

  /** Reserves one of the watch link's sockets; returns what gives it back. */
  private enterWatchLink(grantId: string): () => void {
    if (!isWatchLink(grantId)) return () => {};
    const open = this.watching.get(grantId) ?? 0;
    if (open >= MAX_SOCKETS_PER_WATCH_LINK) {
      const message = `the watch link has reached its limit of ${MAX_SOCKETS_PER_WATCH_LINK} open sockets`;
      throw new Refusal('rateLimited', message);
    }
    this.watching.set(grantId, open + 1);
    return () => {
      const left = this.watching.get(grantId)! - 1;
      if (left > 0) this.watching.set(grantId, left);
      else this.watching.delete(grantId);
    };
  }

  /** Reserves a slot that counts against the account's limit until the socket is closed. */
  private async countedPlaceFor(admitted: Admitted): Promise<Place> {
    const { socketCounts } = this.options.rules;
    if (!socketCounts) return this.placeFor(admitted);
    const leave = socketCounts.enter(admitted.session.accountId);
    if (!leave) {
      const words = `the account has reached its limit of ${socketCounts.limit} open sockets`;
      throw new Refusal('rateLimited', words);
    }
    try {
      const place = await this.placeFor(admitted);
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

  private async placeFor(admitted: Admitted): Promise<Place> {
    const { onSocket, prepare } = this.options;
    if (prepare) return prepare(admitted);
    return { take: (socket) => onSocket?.(socket, admitted), abandon: () => {} };
  }

  /** A grant that became invalid after the check at the upgrade is found at the next poll. */
  private watchGrant(socket: WebSocket, { grantId, session }: Admitted): void {
    const unwatch = this.grants.watch(grantId, () => {
      // Messages that the client still sends are ignored, whether or not it answers the close frame
      socket.removeAllListeners('message');
      let timer: NodeJS.Timeout;
      const close = () => {
        socket.close(CLOSE.released, INVALID_GRANT);
        timer = setTimeout(() => socket.terminate(), REVOKED_CLOSE_MS);
      };
      if (grantId === session.keyId) timer = setTimeout(close, SESSION_END_FIRST_MS);
      else close();
      socket.once('close', () => clearTimeout(timer));
    });
    socket.once('close', unwatch);
  }

  private async admit(request: IncomingMessage, address: string): Promise<Admitted> {
    const { rules, purpose } = this.options;
    const socketPath = parseSocketPath(request.url ?? '');
    if (socketPath?.purpose !== purpose) {
      throw new Refusal('routeNotFound', `the path must be /${purpose}/<token>/<session_id>`);
    }
    const { origin } = request.headers;
    if (origin !== undefined && rules.allowedOrigins?.includes(origin) === false) {
      throw new Refusal(
        'forbidden',
        'this Origin is not allowed to open the socket (PHONEBOOTH_ALLOWED_ORIGINS)',
      );
    }
    this.checkSubprotocols(request);
    const { token, sessionId } = socketPath;
    const session = await this.verify(token, sessionId);
    const keyId = grantOf(token);
    return { session, grantId: keyId ?? session.keyId, keyId, address };
  }

  /**
   * A socket address that a version without grants issued is bound to the key that created the session.
   * @throws Refusal
   */
  private async verify(token: string, sessionId: string): Promise<SessionRow> {
    const { rules, purpose, store } = this.options;
    const session = await this.read(sessionId, store.getSession(sessionId));
    if (!session) throw new Refusal('sessionNotFound', 'the session does not exist');
    if (!(await rules.tokenKeys.verify(token, { purpose, sessionId: session.id, epoch: session.epoch }))) {
      throw new Refusal('unauthorized', 'the token in the URL is invalid');
    }
    if (session.status === 'disconnected') throw new Refusal('sessionEnded', 'the session has ended', 410);
    const grantId = grantOf(token) ?? session.keyId;
    const valid = await this.read(sessionId, store.validGrants([grantId]));
    if (!valid.includes(grantId)) throw new Refusal('unauthorized', INVALID_GRANT);
    return session;
  }

  private async read<T>(sessionId: string, query: Promise<T>): Promise<T> {
    const { storeTimeoutMs = 5000, log } = this.options;
    try {
      return await withDeadline(query, storeTimeoutMs, 'the database did not answer');
    } catch (error) {
      logUnlessOutage(
        log,
        'warn',
        { err: error, sessionId },
        'upgrade rejected: the store did not answer in time',
      );
      throw new Refusal('unavailable', 'the service cannot look up sessions; try again');
    }
  }

  /**
   * A browser fails the connection without a reason if none of its subprotocols is chosen, so the HTTP response
   * states the reason.
   */
  private checkSubprotocols(request: IncomingMessage): void {
    const offered = request.headers['sec-websocket-protocol'];
    if (offered === undefined) return;
    if (this.chooseSubprotocol(offered.split(',').map((name) => name.trim()))) return;
    const known = this.options.subprotocols;
    throw new Refusal(
      'invalid',
      known.length > 0
        ? `the supported subprotocols are ${known.join(' and ')}`
        : 'this socket does not support subprotocols',
    );
  }

  private chooseSubprotocol(offered: string[]): string | undefined {
    return this.options.subprotocols.find((name) => offered.includes(name));
  }

  private refuse(socket: Duplex, error: unknown): void {
    this.refused += 1;
    const isExpected = error instanceof Refusal || error instanceof ApiError;
    if (!isExpected) this.options.log.error({ err: error }, 'upgrade failed');
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
