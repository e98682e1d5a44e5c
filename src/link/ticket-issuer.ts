import { randomBytes } from 'node:crypto';
import type { Link, LinkHello, LinkListener } from './link.ts';

export interface Ticket {
  readonly ticket: string;
  /** Invalidates the ticket: links with it are refused from now on. */
  cancel(): void;
}

interface Expected {
  hello: LinkHello;
  admitted: boolean;
  onLink: (link: Link) => void;
}

/**
 * Accepts the links of one process. Each must present a single-use ticket that was issued for exactly this session,
 * epoch and purpose. An agent with an older lease can therefore not connect.
 */
export class TicketIssuer {
  readonly ingest: string;
  private readonly expected = new Map<string, Expected>();

  constructor(links: LinkListener) {
    this.ingest = links.ingest;
    links.accept(
      (hello) => this.decide(hello),
      (link) => this.deliver(link),
    );
  }

  issue(want: Omit<LinkHello, 'ticket'>, onLink: (link: Link) => void): Ticket {
    const ticket = randomBytes(32).toString('base64url');
    this.expected.set(ticket, { hello: { ...want, ticket }, admitted: false, onLink });
    return { ticket, cancel: () => this.expected.delete(ticket) };
  }

  private decide(hello: LinkHello): boolean {
    const expected = this.expected.get(hello.ticket);
    if (!expected || expected.admitted) return false;
    expected.admitted =
      hello.sessionId === expected.hello.sessionId &&
      hello.epoch === expected.hello.epoch &&
      hello.purpose === expected.hello.purpose;
    return expected.admitted;
  }

  private deliver(link: Link): void {
    const expected = this.expected.get(link.hello.ticket);
    this.expected.delete(link.hello.ticket);
    if (expected) expected.onLink(link);
    else link.close();
  }
}
