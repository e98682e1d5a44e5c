import type { Controller } from '../contract/sockets/control-notifications.ts';
import { MAX_CONTROL_MESSAGE_BYTES } from '../contract/sockets/scrcpy-control.ts';
import { AGENT_LINK_TIMING, type AgentLinkTiming } from '../gateway/agent-link.ts';
import {
  SOCKET_GATEWAY_DEFAULTS,
  SocketGateway,
  type SocketGatewayConfig,
  type SocketGatewayOptions,
} from '../gateway/socket-gateway.ts';
import type { AuthenticatedClient } from '../gateway/upgrade-authenticator.ts';
import type { ReservedSlot } from '../gateway/upgrade-handler.ts';
import type { SessionRow } from '../store/entities.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import { SharedTimer } from '../util/shared-timer.ts';
import type { RecordAction } from './audit-event.ts';
import { type ControlCounters, ControlSession, type ControlSessionContext } from './control-session.ts';
import type { ExpiryWarnings } from './expiry-warnings.ts';
import { CALL_TIMING, type CallTiming } from './remote-phone.ts';

export interface ControlGatewayOptions extends SocketGatewayOptions {
  lingerMs: number;
  link: AgentLinkTiming;
  callTiming: CallTiming;
  /** Rate limit for the messages of one client. A batch counts as the number of its calls. */
  rate: { perSecond: number; burst: number };
}

const DEFAULTS: ControlGatewayOptions = {
  ...SOCKET_GATEWAY_DEFAULTS,
  lingerMs: 5000,
  link: AGENT_LINK_TIMING,
  callTiming: CALL_TIMING,
  rate: { perSecond: 500, burst: 1000 },
};

/** The name of a key is not worth a longer wait. */
const KEY_TIMEOUT_MS = 1_000;

/** The longest control message, plus room for the JSON around a text of that length. */
const MAX_CLIENT_MESSAGE_BYTES = MAX_CONTROL_MESSAGE_BYTES + 4096;

interface ControlGatewayConfig extends SocketGatewayConfig {
  store: SocketGatewayConfig['store'] & Pick<Store, 'extend' | 'getApp' | 'getKey' | 'getArtifactRoom'>;
  recordAction: RecordAction;
  /** Largest total reservation that `session.extend` may reach, minutes. */
  maxDurationMinutes: number;
  options?: Partial<ControlGatewayOptions>;
}

/**
 * Forwards clients' commands to phones at `/control/<token>/<session_id>`. One client controls a session at a time.
 */
export class ControlGateway extends SocketGateway<ControlSession> {
  private readonly config: ControlGatewayConfig;
  private readonly sessionContext: ControlSessionContext;
  private readonly counts = { calls: 0, injected: 0, takeovers: 0 };
  private readonly warnings = new SharedTimer<ExpiryWarnings>((warnings) => warnings.fire());

  constructor(config: ControlGatewayConfig) {
    const options = { ...DEFAULTS, ...config.options };
    super(config, options, { purpose: 'control', subprotocols: [], maxPayload: MAX_CLIENT_MESSAGE_BYTES });
    this.config = config;
    const { store, bus, log, recordAction, maxDurationMinutes } = config;
    const { link: timing, callTiming, rate, lingerMs } = options;
    this.sessionContext = {
      store,
      bus,
      log,
      recordAction,
      maxDurationMinutes,
      callTiming,
      rate,
      lingerMs,
      watch: this.watch,
      link: { ...this.linkContext, timing },
      warnings: this.warnings,
      counters: this.counts,
      onClose: ({ id }) => this.sessions.delete(id),
    };
  }

  get counters(): ControlCounters {
    const { sessions, sockets, upgrades } = this;
    return { sessions: sessions.size, clients: sockets.size, ...this.counts, rejected: upgrades.rejected };
  }

  protected override async reserveSlot(client: AuthenticatedClient): Promise<ReservedSlot> {
    const { session, keyId, address } = client;
    const actor = { keyId, address, controller: await this.keyOf(client) };
    return {
      accept: (socket) => {
        this.sockets.add(socket);
        const served = this.sessionOf(session);
        const controlClient = served.accept(socket, actor);
        return () => served.leave(controlClient);
      },
    };
  }

  /** Looks up the name of the client's key, for the client whose control it takes over. */
  private async keyOf({ grantId }: AuthenticatedClient): Promise<Controller | undefined> {
    const { store, log } = this.config;
    try {
      const key = await withDeadline(store.getKey(grantId), KEY_TIMEOUT_MS, 'the database did not answer');
      return key ? { id: key.id, name: key.user?.name ?? key.name } : undefined;
    } catch (err) {
      logUnlessOutage(log, 'warn', { err }, 'name of a key could not be looked up');
      return undefined;
    }
  }

  protected override open(session: SessionRow): ControlSession {
    return new ControlSession(session, this.sessionContext);
  }
}
