import { MAX_ADB_TUNNELS } from '../../contract/http/session.ts';
import { CLOSE } from '../../contract/sockets/close-codes.ts';
import {
  SOCKET_GATEWAY_DEFAULTS,
  SocketGateway,
  type SocketGatewayConfig,
  type SocketGatewayOptions,
} from '../../gateway/socket-gateway.ts';
import type { AuthenticatedClient } from '../../gateway/upgrade-authenticator.ts';
import type { ReservedSlot } from '../../gateway/upgrade-handler.ts';
import { SESSION_ENDED, UpgradeRejection } from '../../gateway/upgrade-rejection.ts';
import type { Link } from '../../link/link.ts';
import type { SessionRow } from '../../store/entities.ts';
import { type RecordAction, socketEvent } from '../audit-event.ts';
import { AdbTunnel } from './adb-tunnel.ts';
import { openAdbLink } from './open-adb-link.ts';
import { SessionTunnels } from './session-tunnels.ts';

/**
 * An adb server sends at most 256 KiB at once, and a program that relays its bytes may combine several such messages.
 */
const MAX_CLIENT_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface AdbCounters {
  tunnels: number;
  opened: number;
  rejected: number;
  toPhoneBytes: number;
  fromPhoneBytes: number;
}

interface AdbGatewayConfig extends SocketGatewayConfig {
  recordAction: RecordAction;
  options?: Partial<SocketGatewayOptions>;
}

/**
 * Serves adb on the control host at `/adb/<token>/<session_id>`. A client receives its 101 when the phone's adb is
 * reachable. From then on the gateway forwards bytes unchanged; the phone's host parses them.
 */
export class AdbGateway extends SocketGateway<SessionTunnels> {
  private readonly config: AdbGatewayConfig;
  private readonly counts = { opened: 0, toPhoneBytes: 0, fromPhoneBytes: 0 };

  constructor(config: AdbGatewayConfig) {
    super(
      config,
      { ...SOCKET_GATEWAY_DEFAULTS, ...config.options },
      { purpose: 'adb', subprotocols: [], maxPayload: MAX_CLIENT_MESSAGE_BYTES },
    );
    this.config = config;
  }

  get counters(): AdbCounters {
    return { tunnels: this.sockets.size, rejected: this.upgrades.rejected, ...this.counts };
  }

  /** @throws UpgradeRejection */
  protected override async reserveSlot(client: AuthenticatedClient): Promise<ReservedSlot> {
    const { session } = client;
    // The session's host enforces the same limit across all gateways.
    if ((this.sessions.get(session.id)?.slots ?? 0) >= MAX_ADB_TUNNELS) {
      throw new UpgradeRejection(
        'unavailable',
        `this session already has ${MAX_ADB_TUNNELS} adb connections; close one first`,
      );
    }
    const tunnels = this.sessionOf(session);
    tunnels.slots += 1;
    try {
      const link = await this.openLink(client);
      if (!tunnels.isClosed) return this.slotFor(tunnels, link);
      link.close();
      throw new UpgradeRejection('sessionEnded', SESSION_ENDED);
    } catch (error) {
      tunnels.releaseSlot();
      throw error;
    }
  }

  protected override open(session: SessionRow): SessionTunnels {
    return new SessionTunnels(session, this.watch, () => this.sessions.delete(session.id));
  }

  /**
   * Records every tunnel that is opened, and every one that the host rejects, in the audit trail.
   * @throws UpgradeRejection
   */
  private async openLink(client: AuthenticatedClient): Promise<Link> {
    const { recordAction } = this.config;
    const event = socketEvent(client.session, 'adb.open', client);
    try {
      const link = await openAdbLink(this.linkContext, client.session);
      await recordAction({ ...event, code: 0 });
      return link;
    } catch (error) {
      if (error instanceof UpgradeRejection) await recordAction({ ...event, code: error.code });
      throw error;
    }
  }

  private waitingOf(accountId: string): number {
    let bytes = 0;
    for (const tunnels of this.sessions.values())
      if (tunnels.accountId === accountId) bytes += tunnels.waitingBytes;
    return bytes;
  }

  private slotFor(tunnels: SessionTunnels, link: Link): ReservedSlot {
    return {
      accept: (socket) => {
        this.counts.opened += 1;
        this.sockets.add(socket);
        const waitingOfAccount = () => this.waitingOf(tunnels.accountId);
        const tunnel = new AdbTunnel(socket, link, this.counts, waitingOfAccount);
        tunnels.add(tunnel);
        if (tunnels.isClosed)
          tunnels.close(CLOSE.restart, 'the session ended, or the gateway is restarting; reconnect');
        return () => tunnels.remove(tunnel);
      },
      release: () => {
        link.close();
        tunnels.releaseSlot();
      },
    };
  }
}
