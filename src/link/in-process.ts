import {
  LINK_EARLY_MESSAGES,
  type Link,
  type LinkDialer,
  LinkError,
  type LinkHello,
  type LinkListener,
  type LinkMessage,
} from './link.ts';

const SCHEME = 'in-process:';

const ignore = () => {};
/** A reaction to it costs less than queueMicrotask(), which creates an AsyncResource for each call. */
const RESOLVED = Promise.resolve();

/**
 * Links within one process. Messages are passed by reference, so neither end may modify the bytes after sending
 * or receiving them. All waiting messages are delivered together in a microtask, after the sender has returned. A later
 * turn of the event loop would take 7 % of the processor time of a packet (docs/decisions/035-messages-of-viewers.md).
 */
export class InProcessLinks implements LinkDialer {
  private readonly listeners = new Map<string, InProcessListener>();

  /** Accepts links at `in-process:<name>`. @throws LinkError when the name is taken. */
  listen(name: string): LinkListener {
    const ingest = SCHEME + name;
    if (this.listeners.has(ingest)) throw new LinkError(`${ingest} already has a listener`);
    const listener = new InProcessListener(ingest, () => this.listeners.delete(ingest));
    this.listeners.set(ingest, listener);
    return listener;
  }

  /** Needs no timeout, because the result is available in the next turn of the event loop. */
  async dial(ingest: string, hello: LinkHello): Promise<Link> {
    await new Promise((resolve) => setImmediate(resolve));
    const listener = this.listeners.get(ingest);
    if (!listener) throw new LinkError(`${ingest} has no listener`);
    return listener.take(hello);
  }
}

class InProcessListener implements LinkListener {
  readonly ingest: string;
  private readonly onClose: () => void;
  private readonly links = new Set<InProcessLink>();
  private handlers: { decide: (hello: LinkHello) => boolean; onLink: (link: Link) => void } | null = null;

  constructor(ingest: string, onClose: () => void) {
    this.ingest = ingest;
    this.onClose = onClose;
  }

  accept(decide: (hello: LinkHello) => boolean, onLink: (link: Link) => void): void {
    this.handlers = { decide, onLink };
  }

  take(given: LinkHello): Link {
    const hello = Object.freeze({ ...given });
    if (!this.handlers?.decide(hello)) throw new LinkError(`${this.ingest} rejected the link`);
    const gatewayEnd = new InProcessLink(hello);
    const agentEnd = new InProcessLink(hello);
    gatewayEnd.join(agentEnd);
    agentEnd.join(gatewayEnd);
    this.links.add(gatewayEnd);
    gatewayEnd.onEnd = () => this.links.delete(gatewayEnd);
    this.handlers.onLink(gatewayEnd);
    return agentEnd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.handlers = null;
    this.onClose();
    for (const link of this.links) link.close();
  }
}

class InProcessLink implements Link {
  readonly hello: LinkHello;
  bufferedBytes = 0;
  closed = false;
  /** Callback of the listener, in addition to the owner's listeners. */
  onEnd: () => void = ignore;
  private peer: InProcessLink | null = null;
  /** Messages that were sent but not yet delivered. The sender bounds them by watching `bufferedBytes`. */
  private outgoing: LinkMessage[] = [];
  private drainScheduled = false;
  /** Messages that arrived before there was a listener; null once there is one. */
  private early: LinkMessage[] | null = [];
  private messageListener: (message: LinkMessage) => void = ignore;
  private drainListener: () => void = ignore;
  private closeListener: (() => void) | null = null;
  private closeNotified = false;

  constructor(hello: LinkHello) {
    this.hello = hello;
  }

  join(peer: InProcessLink): void {
    this.peer = peer;
  }

  send(message: LinkMessage): void {
    if (this.closed) return;
    this.outgoing.push(message);
    this.bufferedBytes += sizeOf(message);
    if (this.drainScheduled) return;
    this.drainScheduled = true;
    void RESOLVED.then(this.drain);
  }

  onMessage(listener: (message: LinkMessage) => void): void {
    this.messageListener = listener;
    const early = this.early ?? [];
    this.early = null;
    for (const message of early) listener(message);
  }

  onClose(listener: () => void): void {
    this.closeListener = listener;
    if (this.closed) this.notifyClosed();
  }

  onDrain(listener: () => void): void {
    this.drainListener = listener;
  }

  /** Delivers messages that were sent before; the other end is closed after them. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.onEnd();
    this.notifyClosed();
    setImmediate(() => {
      this.drain();
      this.peer?.close();
    });
  }

  private readonly drain = (): void => {
    this.drainScheduled = false;
    const messages = this.outgoing;
    this.outgoing = [];
    this.bufferedBytes = 0;
    for (const message of messages) this.peer?.receive(message);
    if (messages.length > 0 && !this.closed && this.bufferedBytes === 0) this.drainListener();
  };

  private receive(message: LinkMessage): void {
    if (this.closed) return;
    if (!this.early) this.messageListener(message);
    else if (this.early.length < LINK_EARLY_MESSAGES) this.early.push(message);
    else this.close();
  }

  private notifyClosed(): void {
    if (this.closeNotified || !this.closeListener) return;
    this.closeNotified = true;
    this.closeListener();
  }
}

/** Counts text as UTF-8, which is what a network transport would buffer. */
function sizeOf(message: LinkMessage): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.byteLength;
}
