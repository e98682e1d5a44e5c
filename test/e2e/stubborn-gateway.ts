import { NatsBus } from '../../src/bus/nats.ts';
import type { Link, LinkMessage, LinkPurpose } from '../../src/link/link.ts';
import { type ControlReply, parseControlReply } from '../../src/link/messages.ts';
import { TicketIssuer } from '../../src/link/ticket-issuer.ts';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { controlPlaneSeed } from '../../src/operator/host-admin.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { readPacket } from '../black-box/kit/viewer.ts';
import { within } from '../black-box/kit/wait.ts';
import type { Fleet } from '../fixtures/fleet.ts';
import { openIngest } from '../link/ingest-rig.ts';

/** Long enough that the gateway tolerates an agent that sends nothing. */
const KEEPALIVE = { pingMs: 60_000, silentPings: 3 };

/** The links of one session. The gateway keeps them until the agent closes them. */
export interface HeldLinks {
  /** Sends a command. Returns its id. */
  call(method: string, params: object): number;
  answerTo(id: number): ControlReply | undefined;
  /** Number of frames received so far. */
  frames(): number;
  /** Whether no frame arrived since the previous check. A call within 600 ms of the previous check returns false. */
  isStill(): boolean;
  /** Resolves when the agent has closed both links. */
  closed: Promise<unknown>;
}

/**
 * A gateway that ignores the ends of sessions. It shows what an agent still does for a lease and what the agent still
 * sends. A real gateway would close its links.
 */
export class StubbornGateway implements AsyncDisposable {
  private readonly store: Store;
  private readonly bus: NatsBus;
  private readonly tickets: TicketIssuer;
  private readonly opened: AsyncDisposableStack;

  private constructor(store: Store, bus: NatsBus, tickets: TicketIssuer, opened: AsyncDisposableStack) {
    this.store = store;
    this.bus = bus;
    this.tickets = tickets;
    this.opened = opened;
  }

  static async open({ postgres, nats }: Fleet): Promise<StubbornGateway> {
    await using opened = new AsyncDisposableStack();
    const log = silentLog;
    const store = opened.use(await openStore({ databaseUrl: postgres.url }, { log }));
    const nkeySeed = await controlPlaneSeed(store);
    const bus = opened.use(
      await NatsBus.connect({ url: nats.url, nkeySeed, hostId: null, name: 'a stubborn gateway', log }),
    );
    const server = opened.use(await openIngest());
    const listener = opened.use(new WebSocketListener(server, 'stubborn', { log, keepalive: KEEPALIVE }));
    return new StubbornGateway(store, bus, new TicketIssuer(listener), opened.move());
  }

  /** Opens one link for the screen of a session and one for its controls. */
  async links(hostId: string, sessionId: string): Promise<HeldLinks> {
    const session = (await this.store.getSession(sessionId))!;
    const open = (purpose: LinkPurpose & ('stream' | 'control')) => this.dialled(hostId, session, purpose);
    const [stream, control] = [await open('stream'), await open('control')];
    let frames = 0;
    let lookedAt = { frames: -1, at: 0 };
    stream.onMessage((message) => {
      if (isFrame(message)) frames += 1;
    });
    const replies: ControlReply[] = [];
    control.onMessage((message) => replies.push(parseControlReply(message)));
    let calls = 0;
    return {
      call: (method, params) => {
        calls += 1;
        control.send(JSON.stringify({ type: 'call', id: calls, method, params }));
        return calls;
      },
      answerTo: (id) => replies.find((reply) => 'id' in reply && reply.id === id),
      frames: () => frames,
      isStill: () => {
        if (performance.now() - lookedAt.at < 600) return false;
        const isStill = frames > 0 && lookedAt.frames === frames;
        lookedAt = { frames, at: performance.now() };
        return isStill;
      },
      closed: Promise.all([stream, control].map((link) => new Promise<void>((done) => link.onClose(done)))),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened.disposeAsync();
  }

  private async dialled(
    hostId: string,
    { id: sessionId, epoch }: { id: string; epoch: number },
    purpose: 'stream' | 'control',
  ): Promise<Link> {
    const want = { sessionId, epoch, purpose };
    const { promise, resolve } = Promise.withResolvers<Link>();
    const { ticket } = this.tickets.issue(want, resolve);
    const { ingest } = this.tickets;
    await this.bus.request('host.dial', hostId, { ...want, ingest, ticket }, { timeoutMs: 10_000 });
    return within('the link to be accepted', promise);
  }
}

const isFrame = (message: LinkMessage) =>
  typeof message !== 'string' && ['keyframe', 'delta'].includes(readPacket(Buffer.from(message)).type);
