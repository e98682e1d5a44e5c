/**
 * The link carries one session's bytes between its agent and one process of the control plane: frames one way,
 * commands and their answers both ways, a screenshot, the files of an app, or adb. The agent dials, so that it works
 * behind NAT. Messages arrive whole and in order, or the link closes; nothing is ever lost in between.
 */
export const LINK_PURPOSES = ['stream', 'control', 'screenshot', 'app', 'adb'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

export type LinkMessage = string | Uint8Array;

/** What the dialling agent says first; the ticket proves that it was asked for exactly this. */
export interface LinkHello {
  sessionId: string;
  epoch: number;
  purpose: LinkPurpose;
  ticket: string;
}

export interface Link {
  readonly hello: LinkHello;
  /** Bytes sent and not yet taken by the transport: the sender's to keep within a bound. */
  readonly bufferedBytes: number;
  readonly closed: boolean;
  /** Sends, or does nothing on a closed link. Never throws. */
  send(message: LinkMessage): void;
  /** One listener; messages that arrive before there is one are kept, up to LINK_EARLY_MESSAGES, then the link closes. */
  onMessage(listener: (message: LinkMessage) => void): void;
  /** Called once, at once when it is closed already. */
  onClose(listener: () => void): void;
  /** Called when bufferedBytes has fallen to zero after a send. */
  onDrain(listener: () => void): void;
  close(): void;
}

/** The control plane's end. */
export interface LinkListener extends AsyncDisposable {
  /** The address that agents are told to dial. */
  readonly ingest: string;
  /** Decides on a hello before the link exists: false refuses it. */
  accept(decide: (hello: LinkHello) => boolean, onLink: (link: Link) => void): void;
}

/** The agent's end. */
export interface LinkDialer {
  /** @throws LinkError when nobody listens there, the hello was refused, or the deadline passed. */
  dial(ingest: string, hello: LinkHello, options: { timeoutMs: number }): Promise<Link>;
}

export class LinkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LinkError';
  }
}

export const LINK_EARLY_MESSAGES = 256;
