/**
 * A link carries the bytes of one session between its agent and one process of the control plane: video packets one
 * way, commands and responses both ways, a screenshot, the files of an app, a file of the phone, an artifact of a
 * recording, or adb. The agent dials, so that it works behind NAT. Messages arrive complete and in order; if that is not
 * possible, the link closes. No message in between is ever lost.
 */
export const LINK_PURPOSES = ['stream', 'control', 'screenshot', 'app', 'file', 'artifact', 'adb'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

export type LinkMessage = string | Uint8Array;

/** Sent first by the dialling agent. The ticket proves that the agent was asked for exactly this link. */
export interface LinkHello {
  sessionId: string;
  epoch: number;
  purpose: LinkPurpose;
  ticket: string;
}

export interface Link {
  readonly hello: LinkHello;
  /** Bytes sent but not yet taken by the transport. The sender must bound them. */
  readonly bufferedBytes: number;
  readonly closed: boolean;
  /** Sends a message; a no-op on a closed link. Never throws. */
  send(message: LinkMessage): void;
  /**
   * Sets the only listener. Messages that arrive earlier are kept, up to LINK_EARLY_MESSAGES; beyond that the link
   * closes.
   */
  onMessage(listener: (message: LinkMessage) => void): void;
  /** The listener is called once, immediately if the link is already closed. */
  onClose(listener: () => void): void;
  /** The listener is called when bufferedBytes has fallen to zero after a send. */
  onDrain(listener: () => void): void;
  close(): void;
}

/** The control plane's end of links. */
export interface LinkListener extends AsyncDisposable {
  /** The address that agents dial. */
  readonly ingest: string;
  /**
   * `decide` returns whether to accept a hello, before the link exists. `onLink` is called with each accepted link.
   */
  accept(decide: (hello: LinkHello) => boolean, onLink: (link: Link) => void): void;
}

/** The agent's end of links. */
export interface LinkDialer {
  /** @throws LinkError when there is no listener, the hello was rejected, or the listener did not answer in time. */
  dial(ingest: string, hello: LinkHello, options?: { timeoutMs?: number }): Promise<Link>;
}

export class LinkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LinkError';
  }
}

export const LINK_EARLY_MESSAGES = 256;
