import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { FailureLimit } from '../access/failure-limit.ts';
import { GrantWatch } from '../access/grant-watch.ts';
import { parseSocketPath } from '../access/socket-address.ts';
import type { SocketPurpose } from '../access/socket-token.ts';
import type { TokenKeys } from '../access/token-keys.ts';
import { ApiError } from '../contract/http/errors.ts';
import { CLOSE } from '../contract/sockets/close-codes.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { plainAddress } from '../util/plain-address.ts';
import type { SocketCounts } from './socket-counts.ts';
import { SocketLimits } from './socket-limits.ts';
import {
  type AuthenticatedClient,
  INVALID_GRANT,
  isInvalidToken,
  UpgradeAuthenticator,
} from './upgrade-authenticator.ts';
import { UpgradeGuard } from './upgrade-guard.ts';
import { sendRejection, UpgradeRejection } from './upgrade-rejection.ts';

/** Admission rules that all gateways share. */
export interface AdmissionRules {
  tokenKeys: Pick<TokenKeys, 'verify'>;
  /** Allowed values of the `Origin` header. If absent, any origin is allowed. Only browsers send the header. */
  allowedOrigins?: string[];
  /** Counts the sockets of each account. Without it, the number is unlimited. */
  socketCounts?: Pick<SocketCounts, 'reserve' | 'limit'>;
  /** Returns the client's address. Without it, the peer address of the connection is used. */
  addressOf?: (request: IncomingMessage) => string;
  /** Limits addresses that send invalid tokens. Without it, they are not limited. */
  failures?: FailureLimit;
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
  /**
   * Reserves what the socket needs before the 101. The upgrade waits for it.
   * @throws UpgradeRejection
   */
  reserveSlot(client: AuthenticatedClient): ReservedSlot | Promise<ReservedSlot>;
}

/** A reserved slot for a socket. Exactly one of the two methods is called, once. */
export interface ReservedSlot {
  /**
   * Returns what to do when the socket is closed.
   * @param transport the connection under the WebSocket
   */
  accept(socket: WebSocket, transport: Duplex): () => void;
  /** The client disconnected before the upgrade was complete. */
  release?(): void;
}

interface CountedSlot {
  slot: ReservedSlot;
  releaseCounts: () => void;
}

/** How long a client may take to answer a close frame before its connection is terminated. */
const CLOSE_TIMEOUT_MS = 2_000;
/** How long a client whose grant became invalid has for the closing handshake. */
const REVOKED_CLOSE_MS = 1_000;
/** A key that is revoked ends the sessions it created. The end of the session closes their sockets with its own reason. */
const SESSION_END_FIRST_MS = 2_000;

const SHUTTING_DOWN = 'the gateway is shutting down; connect again to reach another one';

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
  rejected = 0;
  private readonly options: UpgradeHandlerOptions;
  private readonly server: WebSocketServer;
  private readonly grants: GrantWatch;
  private readonly authenticator: UpgradeAuthenticator;
  private readonly guard: UpgradeGuard;
  private readonly limits: SocketLimits;
  private closed = false;

  constructor(options: UpgradeHandlerOptions) {
    this.options = options;
    const { rules, purpose, store, log, grantPollMs: pollMs } = options;
    this.authenticator = new UpgradeAuthenticator({ tokenKeys: rules.tokenKeys, purpose, store, log });
    this.guard = new UpgradeGuard(rules.failures);
    this.limits = new SocketLimits(rules.socketCounts);
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
      closeTimeout: CLOSE_TIMEOUT_MS,
      handleProtocols: (offered) => this.chooseSubprotocol([...offered]) ?? false,
    };
    this.server = new WebSocketServer(serverOptions);
    this.server.on('wsClientError', ({ message }, socket, request) =>
      this.reject(socket, handshakeError(request, message)),
    );
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
      const authenticate = () => this.authenticate(request, address);
      const client = await this.guard.admit(
        { address, url: request.url ?? '' },
        authenticate,
        isInvalidToken,
      );
      if (this.closed) throw new UpgradeRejection('unavailable', SHUTTING_DOWN);
      const counted = await this.reserveCountedSlot(client);
      socket.off('error', ignore);
      let isAccepted = false;
      this.server.handleUpgrade(request, socket, head, (webSocket) => {
        isAccepted = true;
        this.accept(webSocket, socket, client, counted);
      });
      if (isAccepted) return;
      // The client disconnected in the meantime, or its request is not a valid WebSocket handshake.
      counted.releaseCounts();
      counted.slot.release?.();
    } catch (error) {
      this.reject(socket, error);
    }
  }

  /** Reserves a slot that counts against the limits of the watch link and the account until the socket is closed. */
  private async reserveCountedSlot(client: AuthenticatedClient): Promise<CountedSlot> {
    const releaseCounts = this.limits.reserve(client);
    try {
      const slot = await this.options.reserveSlot(client);
      if (!this.closed) return { slot, releaseCounts };
      slot.release?.();
      throw new UpgradeRejection('unavailable', SHUTTING_DOWN);
    } catch (error) {
      releaseCounts();
      throw error;
    }
  }

  /**
   * One listener ends everything that depends on the socket. A grant that became invalid after the check at the upgrade
   * is found at the next poll.
   */
  private accept(
    socket: WebSocket,
    transport: Duplex,
    { grantId, session }: AuthenticatedClient,
    { slot, releaseCounts }: CountedSlot,
  ): void {
    const onInvalid = () => closeRevoked(socket, grantId === session.keyId);
    this.grants.watch(grantId, onInvalid);
    const onClosed = slot.accept(socket, transport);
    socket.on('close', () => {
      this.grants.unwatch(grantId, onInvalid);
      releaseCounts();
      onClosed();
    });
  }

  private async authenticate(request: IncomingMessage, address: string): Promise<AuthenticatedClient> {
    const { rules, purpose } = this.options;
    const socketPath = parseSocketPath(request.url ?? '');
    if (socketPath?.purpose !== purpose) {
      throw new UpgradeRejection(
        'routeNotFound',
        `the path must be /${purpose}/<token>/<session_id>; use the ${purpose}_url of the session unchanged`,
      );
    }
    const { origin } = request.headers;
    if (origin !== undefined && rules.allowedOrigins?.includes(origin) === false) {
      throw new UpgradeRejection(
        'forbidden',
        'this Origin is not allowed to open the socket; an operator can add it to PHONEBOOTH_ALLOWED_ORIGINS',
      );
    }
    this.checkSubprotocols(request);
    return { ...(await this.authenticator.verify(socketPath.token, socketPath.sessionId)), address };
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
    throw new UpgradeRejection(
      'invalid',
      known.length > 0
        ? `none of the requested subprotocols is supported; request ${known.join(' or ')}, or none`
        : 'this socket does not support subprotocols; connect without one',
    );
  }

  private chooseSubprotocol(offered: string[]): string | undefined {
    return this.options.subprotocols.find((name) => offered.includes(name));
  }

  private reject(socket: Duplex, error: unknown): void {
    this.rejected += 1;
    const isExpected = error instanceof ApiError;
    if (!isExpected) this.options.log.error({ err: error }, 'upgrade failed');
    const rejection = isExpected
      ? error
      : new UpgradeRejection('internal', 'the gateway had an internal error; try again');
    sendRejection(socket, rejection);
  }
}

/** RFC 6455, section 4.4: the supported versions are named if the client's is not one of them. */
const VERSIONS = { 'sec-websocket-version': '13, 8' };

const handshakeError = ({ method }: IncomingMessage, problem: string) =>
  method === 'GET'
    ? new ApiError('invalid', `the request is not a valid WebSocket handshake: ${problem}`, {}, VERSIONS)
    : new ApiError('methodNotAllowed', 'a WebSocket is opened with the method GET', {}, { allow: 'GET' });

function closeRevoked(socket: WebSocket, isKeyOfSession: boolean): void {
  // Messages that the client still sends are ignored, whether or not it answers the close frame
  socket.removeAllListeners('message');
  let timer: NodeJS.Timeout;
  const close = () => {
    socket.close(CLOSE.released, INVALID_GRANT);
    timer = setTimeout(() => socket.terminate(), REVOKED_CLOSE_MS);
  };
  if (isKeyOfSession) timer = setTimeout(close, SESSION_END_FIRST_MS);
  else close();
  socket.once('close', () => clearTimeout(timer));
}
