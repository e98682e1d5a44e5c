import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bus } from '../../bus/bus.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { CLOSE } from '../../contract/sockets/close-codes.ts';
import { OpenSockets } from '../../gateway/open-sockets.ts';
import { SessionWatch } from '../../gateway/session-watch.ts';
import {
  type AdmissionRules,
  type Admitted,
  type Place,
  Refusal,
  UpgradeHandler,
} from '../../gateway/upgrade-handler.ts';
import type { Link, LinkListener } from '../../link/link.ts';
import { TicketIssuer } from '../../link/ticket-issuer.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../../util/log.ts';
import { type RecordAction, socketEvent } from '../audit-event.ts';
import { AdbTunnel } from './adb-tunnel.ts';
import { reachPhone } from './reach-phone.ts';
import { SessionTunnels } from './session-tunnels.ts';

export interface AdbGatewayOptions {
  pingMs: number;
  /** How often the rows of the sessions served are read. */
  pollMs: number;
  /** How often the grants of the open sockets are read. */
  grantPollMs?: number;
  /** How long closing may take at shutdown. Sockets that are still open then are terminated. */
  disposeMs: number;
}

const DEFAULTS: AdbGatewayOptions = { pingMs: 15_000, pollMs: 2000, disposeMs: 3000 };

/**
 * Maximum number of tunnels of one session at this gateway. The session's host enforces the same limit across all
 * gateways.
 */
export const MAX_TUNNELS = 4;
/**
 * An adb server sends at most 256 KiB at once, and a program that relays its bytes may combine several such messages.
 */
const MAX_CLIENT_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface AdbCounters {
  tunnels: number;
  opened: number;
  refused: number;
  toPhoneBytes: number;
  fromPhoneBytes: number;
}

interface AdbGatewayConfig extends AdmissionRules {
  store: Pick<Store, 'getSession' | 'getSessions' | 'validGrants'>;
  bus: Bus;
  /** This gateway's own listener for links from hosts. It is closed with the gateway. */
  links: LinkListener;
  log: Log;
  note: RecordAction;
  options?: Partial<AdbGatewayOptions>;
}

/**
 * Serves adb on the control host at `/adb/<token>/<session_id>`. A client receives its 101 when the phone's adb is
 * reachable. From then on the gateway forwards bytes unchanged; the phone's host parses them.
 */
export class AdbGateway implements AsyncDisposable {
  private readonly config: AdbGatewayConfig;
  private readonly options: AdbGatewayOptions;
  private readonly door: UpgradeHandler;
  private readonly tickets: TicketIssuer;
  private readonly watch: SessionWatch;
  private readonly sockets: OpenSockets;
  private readonly rooms = new Map<string, SessionTunnels>();
  private readonly counts = { opened: 0, toPhoneBytes: 0, fromPhoneBytes: 0 };

  constructor(config: AdbGatewayConfig) {
    this.config = config;
    this.options = { ...DEFAULTS, ...config.options };
    const { store, bus, links, log } = config;
    this.tickets = new TicketIssuer(links);
    this.watch = new SessionWatch({ store, bus, log, pollMs: this.options.pollMs });
    this.sockets = new OpenSockets({ pingMs: this.options.pingMs });
    this.door = new UpgradeHandler({
      purpose: 'adb',
      rules: config,
      store,
      log,
      ...(this.options.grantPollMs !== undefined && { grantPollMs: this.options.grantPollMs }),
      subprotocols: [],
      maxPayload: MAX_CLIENT_MESSAGE_BYTES,
      whyFull: ({ id }) =>
        (this.rooms.get(id)?.places ?? 0) >= MAX_TUNNELS
          ? `this session already has ${MAX_TUNNELS} adb connections`
          : null,
      prepare: (admitted) => this.prepare(admitted),
    });
  }

  get counters(): AdbCounters {
    return { tunnels: this.sockets.size, refused: this.door.refused, ...this.counts };
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
    for (const room of [...this.rooms.values()]) room.close(CLOSE.restart, reason);
    await this.sockets.closeAll(CLOSE.restart, reason, this.options.disposeMs);
    await this.config.links[Symbol.asyncDispose]();
  }

  /** @throws Refusal */
  private async prepare(admitted: Admitted): Promise<Place> {
    const { session } = admitted;
    if (session.status !== 'connected')
      throw new Refusal(
        'sessionNotConnected',
        'the session is not connected yet; try again when its status is connected',
      );
    const room = this.rooms.get(session.id) ?? this.openRoom(session);
    room.places += 1;
    try {
      const link = await this.reach(admitted);
      if (!room.isClosed) return this.placeIn(room, link);
      link.close();
      throw new Refusal('sessionEnded', 'the session has ended', 410);
    } catch (error) {
      room.leave();
      throw error;
    }
  }

  /** Records every tunnel that is opened, and every one that the host rejects, in the audit trail. @throws Refusal */
  private async reach(admitted: Admitted): Promise<Link> {
    const { session } = admitted;
    const { bus, log, note } = this.config;
    const event = socketEvent(session, 'adb.open', admitted);
    try {
      const link = await reachPhone({ bus, tickets: this.tickets, log }, session);
      await note({ ...event, code: 0 });
      return link;
    } catch (error) {
      if (error instanceof Refusal) await note({ ...event, code: ERRORS[error.kind].code });
      throw error;
    }
  }

  private placeIn(room: SessionTunnels, link: Link): Place {
    const leave = () => room.leave();
    return {
      take: (socket) => {
        this.counts.opened += 1;
        this.sockets.add(socket);
        room.add(socket, new AdbTunnel(socket, link, this.counts, leave));
        if (room.isClosed)
          room.close(CLOSE.restart, 'the session ended, or the gateway is restarting; reconnect');
      },
      abandon: () => {
        link.close();
        leave();
      },
    };
  }

  private openRoom(session: SessionRow): SessionTunnels {
    const room = new SessionTunnels(session, this.watch, () => this.rooms.delete(session.id));
    this.rooms.set(session.id, room);
    return room;
  }
}
