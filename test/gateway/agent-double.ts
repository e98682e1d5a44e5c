import type { Bus } from '../../src/bus/bus.ts';
import type { BusRequests } from '../../src/bus/messages.ts';
import type { Link, LinkDialer, LinkHello } from '../../src/link/link.ts';

type DialRequest = BusRequests['host.dial']['request'];

/** A host that dials when requested. It records the requests and the messages that arrive over its links. */
export class AgentDouble {
  readonly asked: DialRequest[] = [];
  /** Links that the host dialled, newest last. */
  readonly links: Link[] = [];
  readonly received: (string | Uint8Array)[] = [];
  /** Modifies the host's hello, for example to send an old epoch or a wrong ticket. */
  alter: (hello: LinkHello) => LinkHello = (hello) => hello;
  /** While false, the host responds to requests but does not dial. */
  dials = true;
  onLink: (link: Link) => void = () => {};
  readonly refusals: string[] = [];

  constructor(bus: Bus, dialer: LinkDialer, hostId = 'h1') {
    bus.serve('host.dial', hostId, async (request) => {
      this.asked.push(request);
      if (this.dials) void this.dial(dialer, request);
      return {};
    });
  }

  get link(): Link {
    return this.links.at(-1)!;
  }

  private async dial(dialer: LinkDialer, { ingest, ...hello }: DialRequest): Promise<void> {
    try {
      const link = await dialer.dial(ingest, this.alter(hello), { timeoutMs: 60_000 });
      link.onMessage((message) => this.received.push(message));
      this.links.push(link);
      this.onLink(link);
    } catch (error) {
      this.refusals.push(String(error));
    }
  }
}
