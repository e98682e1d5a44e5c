import type { Msg } from '@nats-io/transport-node';
import type { PauseWatch } from '../util/pause-watch.ts';
import type { RequestHandler } from './bus.ts';
import { type BusRequests, hasOneResponder } from './messages.ts';
import { addressIn, isReplySubjectOf } from './nats-subjects.ts';
import { readRequest } from './nats-wire.ts';

export type Answer = { answer: unknown } | { error: string };

export interface RequestServerOptions {
  /** Maximum number of requests that are handled at once, in total and of one share. */
  maxServing: number;
  maxServingPerShare: number;
  pauses: PauseWatch;
  /** Resolves when the messages that have arrived so far have been handled. */
  caughtUp: () => Promise<void>;
  respond: (reply: string, answer: Answer) => void;
  /** Called for a request that is not answered or is malformed. */
  onRefused: () => void;
}

/** Handles the requests of others that arrive over NATS. */
export class RequestServer {
  private readonly options: RequestServerOptions;
  private catchingUp = false;
  private serving = 0;
  /** The requests that are being handled, by share. */
  private readonly servingOf = new Map<string, number>();

  constructor(options: RequestServerOptions) {
    this.options = options;
  }

  /** Never rejects. An error caused by a host's request is only sent to that host. */
  async answer<R extends keyof BusRequests>(
    name: R,
    { subject, reply, data }: Msg,
    handler: RequestHandler<R>,
  ): Promise<void> {
    const { maxServing, maxServingPerShare, pauses, respond, onRefused } = this.options;
    const address = addressIn(subject);
    if (!reply || !isReplySubjectOf(reply, name, address)) {
      onRefused();
      return;
    }
    if (pauses.isInDoubt) {
      onRefused();
      void this.catchUp();
      return;
    }
    const request = readRequest(name, data);
    if (request === null) {
      onRefused();
      respond(reply, { error: `the message is not a valid ${name}` });
      return;
    }
    const share = shareOf(name, request, address);
    const ofShare = this.servingOf.get(share) ?? 0;
    if (this.serving >= maxServing || ofShare >= maxServingPerShare) {
      const what =
        ofShare >= maxServingPerShare ? `${ofShare} requests of ${share}` : `${this.serving} requests`;
      respond(reply, { error: `${what} are already being served` });
      return;
    }
    this.serving += 1;
    this.servingOf.set(share, ofShare + 1);
    try {
      await nextTurn();
      respond(reply, { answer: await handler(request, address) });
    } catch (error) {
      respond(reply, { error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.serving -= 1;
      const left = this.servingOf.get(share)! - 1;
      if (left > 0) this.servingOf.set(share, left);
      else this.servingOf.delete(share);
    }
  }

  /**
   * After a pause of this process, discards the requests that arrived during it: their senders have timed out or
   * asked another process, and the state that a host reported then is outdated.
   */
  async catchUp(): Promise<void> {
    if (this.catchingUp) return;
    this.catchingUp = true;
    const { pauses, caughtUp } = this.options;
    const confirm = pauses.beginConfirmation();
    await caughtUp().then(confirm, () => {});
    this.catchingUp = false;
  }
}

/**
 * The share of a request: that of the host that sent it. Requests to a host all have the same address, so that each
 * session on the host has a share, and the client of one phone cannot keep the host from serving its other phones.
 */
function shareOf<R extends keyof BusRequests>(
  name: R,
  request: BusRequests[R]['request'],
  address: string,
): string {
  return hasOneResponder(name) && 'sessionId' in request ? `session ${request.sessionId}` : address;
}

/** Runs handlers in a later turn than the reading of the socket, as every bus does. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
