import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Bus } from '../bus/bus.ts';
import { CLOSE } from '../contract/sockets/close-codes.ts';
import { MAX_CONTROL_MESSAGE_BYTES } from '../contract/sockets/scrcpy-control.ts';
import { AGENT_LINK_TIMING, type AgentLinkTiming } from '../gateway/agent-link.ts';
import { OpenSockets } from '../gateway/open-sockets.ts';
import { SessionWatch } from '../gateway/session-watch.ts';
import { type AdmissionRules, type Admitted, UpgradeHandler } from '../gateway/upgrade-handler.ts';
import type { LinkListener } from '../link/link.ts';
import { TicketIssuer } from '../link/ticket-issuer.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { noSteps, type Steps } from '../util/steps.ts';
import type { RecordAction } from './audit-event.ts';
import { type ControlCounters, ControlSession } from './control-session.ts';
import { PHONE_TIMING, type PhoneTiming } from './phone.ts';

export interface ControlGatewayOptions {
  pingMs: number;
  /** How often the rows of the sessions served are read. */
  pollMs: number;
  /** How often the grants of the open sockets are read. */
  grantPollMs?: number;
  lingerMs: number;
  /** How long closing may take at shutdown. Sockets that are still open then are terminated. */
  disposeMs: number;
  link: AgentLinkTiming;
  phone: PhoneTiming;
  /** Rate limit for the messages of one client. A batch counts as the number of its calls. */
  rate: { perSecond: number; burst: number };
}

const DEFAULTS: ControlGatewayOptions = {
  pingMs: 15_000,
  pollMs: 2000,
  lingerMs: 5000,
  disposeMs: 3000,
  link: AGENT_LINK_TIMING,
  phone: PHONE_TIMING,
  rate: { perSecond: 500, burst: 1000 },
};

/** The longest control message, plus room for the JSON around a text of that length. */
const MAX_CLIENT_MESSAGE_BYTES = MAX_CONTROL_MESSAGE_BYTES + 4096;

interface ControlGatewayConfig extends AdmissionRules {
  store: Pick<Store, 'getSession' | 'getSessions' | 'validGrants' | 'extend' | 'getApp'>;
  bus: Bus;
  /** This gateway's own listener for links from hosts. It is closed with the gateway. */
  links: LinkListener;
  log: Log;
  note: RecordAction;
  steps?: Steps;
  /** Largest total reservation that `session.extend` may reach, minutes. */
  maxDurationMinutes: number;
  options?: Partial<ControlGatewayOptions>;
}

/**
 * Forwards clients' commands to phones at `/control/<token>/<session_id>`. One client controls a session at a time.
 */
export class ControlGateway implements AsyncDisposable {
  private readonly config: ControlGatewayConfig;
  private readonly options: ControlGatewayOptions;
  private readonly door: UpgradeHandler;
  private readonly tickets: TicketIssuer;
  private readonly watch: SessionWatch;
  private readonly sockets: OpenSockets;
  private readonly desks = new Map<string, ControlSession>();
  private readonly counts = { calls: 0, injected: 0, takeovers: 0 };

  constructor(config: ControlGatewayConfig) {
    this.config = config;
    this.options = { ...DEFAULTS, ...config.options };
    const { store, bus, links, log } = config;
    this.tickets = new TicketIssuer(links);
    this.watch = new SessionWatch({ store, bus, log, pollMs: this.options.pollMs });
    this.sockets = new OpenSockets({ pingMs: this.options.pingMs });
    this.door = new UpgradeHandler({
      purpose: 'control',
      rules: config,
      store,
      log,
      ...(this.options.grantPollMs !== undefined && { grantPollMs: this.options.grantPollMs }),
      subprotocols: [],
      maxPayload: MAX_CLIENT_MESSAGE_BYTES,
      whyFull: () => null,
      onSocket: (socket, admitted) => this.take(socket, admitted),
    });
  }

  get counters(): ControlCounters {
    const { desks, sockets, door } = this;
    return { sessions: desks.size, clients: sockets.size, ...this.counts, refused: door.refused };
  }

  /**
   * Handles the `upgrade` event of any number of HTTP and HTTPS servers. Requests for other paths are answered with
   * 404.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.door.handleUpgrade(request, socket, head);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.door.close();
    this.watch.close();
    const reason = 'the gateway is restarting; reconnect';
    for (const desk of [...this.desks.values()]) desk.close(CLOSE.restart, reason);
    await this.sockets.closeAll(CLOSE.restart, reason, this.options.disposeMs);
    await this.config.links[Symbol.asyncDispose]();
  }

  private take(socket: WebSocket, admitted: Admitted): void {
    const { session } = admitted;
    this.sockets.add(socket);
    const desk = this.desks.get(session.id) ?? this.openDesk(session);
    desk.take(socket, admitted);
  }

  private openDesk(session: SessionRow): ControlSession {
    const { store, bus, log, note, maxDurationMinutes } = this.config;
    const { link: timing, phone, rate, lingerMs } = this.options;
    const desk = new ControlSession({
      session,
      store,
      bus,
      watch: this.watch,
      log,
      note,
      maxDurationMinutes,
      link: { bus, tickets: this.tickets, steps: this.config.steps ?? noSteps, timing },
      phone,
      rate,
      lingerMs,
      counters: this.counts,
      onClose: () => this.desks.delete(session.id),
    });
    this.desks.set(session.id, desk);
    return desk;
  }
}
