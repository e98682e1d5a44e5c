import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bus } from '../bus/bus.ts';
import { CLOSE, type CloseCode } from '../contract/sockets/close-codes.ts';
import type { LinkListener } from '../link/link.ts';
import { TicketIssuer } from '../link/ticket-issuer.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { noSteps, type Steps } from '../util/steps.ts';
import type { AgentLinkContext } from './agent-link.ts';
import { OpenSockets } from './open-sockets.ts';
import { SessionWatch } from './session-watch.ts';
import type { AuthenticatedClient } from './upgrade-authenticator.ts';
import {
  type AdmissionRules,
  type ReservedSlot,
  UpgradeHandler,
  type UpgradeHandlerOptions,
} from './upgrade-handler.ts';

export interface SocketGatewayOptions {
  pingMs: number;
  /** How often the rows of the sessions served are read. */
  pollMs: number;
  /** How often the grants of the open sockets are read. */
  grantPollMs?: number;
  /** How long closing may take at shutdown. Sockets that are still open then are terminated. */
  disposeMs: number;
}

export const SOCKET_GATEWAY_DEFAULTS: SocketGatewayOptions = {
  pingMs: 15_000,
  pollMs: 2000,
  disposeMs: 3000,
};

export interface SocketGatewayConfig extends AdmissionRules {
  store: Pick<Store, 'getSession' | 'getSessions' | 'validGrants'>;
  bus: Bus;
  /** This gateway's own listener for links from hosts. It is closed with the gateway. */
  links: LinkListener;
  log: Log;
  steps?: Steps;
}

/** What a gateway keeps for a session while it serves sockets of the session. */
export interface ServedSession {
  /** Closes all its sockets and its links. */
  close(code: CloseCode, reason: string): void;
}

/**
 * Base of the gateways, one per socket purpose. It authenticates upgrades, pings the open sockets, watches the rows of
 * the sessions that have some, and closes everything at shutdown. A subclass implements what its sockets carry.
 */
export abstract class SocketGateway<Served extends ServedSession> implements AsyncDisposable {
  protected readonly sessions = new Map<string, Served>();
  protected readonly sockets: OpenSockets;
  protected readonly upgrades: UpgradeHandler;
  protected readonly watch: SessionWatch;
  /** What a session needs to request a link from its host. */
  protected readonly linkContext: Omit<AgentLinkContext, 'timing'>;
  private readonly links: LinkListener;
  private readonly disposeMs: number;

  constructor(
    config: SocketGatewayConfig,
    { pingMs, pollMs, grantPollMs, disposeMs }: SocketGatewayOptions,
    protocol: Pick<UpgradeHandlerOptions, 'purpose' | 'subprotocols' | 'maxPayload'>,
  ) {
    const { store, bus, links, log, steps = noSteps } = config;
    this.links = links;
    this.disposeMs = disposeMs;
    this.linkContext = { bus, tickets: new TicketIssuer(links), log, steps };
    this.watch = new SessionWatch({ store, bus, log, pollMs });
    this.sockets = new OpenSockets({ pingMs });
    this.upgrades = new UpgradeHandler({
      ...protocol,
      rules: config,
      store,
      log,
      ...(grantPollMs !== undefined && { grantPollMs }),
      reserveSlot: (client) => this.reserveSlot(client),
    });
  }

  /**
   * Handles the `upgrade` event of any number of HTTP and HTTPS servers. Requests for other paths are answered with
   * 404.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.upgrades.handleUpgrade(request, socket, head);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.upgrades.close();
    this.watch.close();
    const reason = 'the gateway is restarting; reconnect';
    for (const served of [...this.sessions.values()]) served.close(CLOSE.restart, reason);
    await this.sockets.closeAll(CLOSE.restart, reason, this.disposeMs);
    await this.links[Symbol.asyncDispose]();
  }

  /** Creates the state of a session, which is discarded when it closes. */
  protected abstract open(session: SessionRow): Served;

  /** Reserves what a socket needs before the 101. @throws UpgradeRejection */
  protected abstract reserveSlot(client: AuthenticatedClient): ReservedSlot | Promise<ReservedSlot>;

  /** Returns the state of a session, and creates it for the session's first socket. */
  protected sessionOf(session: SessionRow): Served {
    const existing = this.sessions.get(session.id);
    if (existing) return existing;
    const served = this.open(session);
    this.sessions.set(session.id, served);
    return served;
  }
}
