import { BusError } from './bus.ts';
import { randomToken } from './nats-subjects.ts';

const SHARES = 8;
const MIN_SHARE = 16;

interface PendingRequest<A> {
  subject: string;
  resolve: (answer: A) => void;
  reject: (error: BusError) => void;
  timer: NodeJS.Timeout;
}

/**
 * The pending requests, bounded, each with a deadline, keyed by the token of the response. Tokens are random, so that
 * a host that sees the tokens of its own requests cannot answer requests to other hosts.
 */
export class PendingRequests<A> {
  private readonly requests = new Map<string, PendingRequest<A>>();
  private readonly bySubject = new Map<string, number>();
  private readonly max: number;
  /**
   * Maximum number of pending requests to one subject, so that a host that does not respond takes only its share.
   */
  private readonly maxOfSubject: number;

  constructor(max: number, maxOfSubject = Math.max(MIN_SHARE, Math.ceil(max / SHARES))) {
    this.max = max;
    this.maxOfSubject = maxOfSubject;
  }

  /** @throws BusError `failed` when the limit of pending requests is reached, in total or for this subject */
  add(subject: string, what: string, timeoutMs: number): { token: string; answer: Promise<A> } {
    if (this.requests.size >= this.max) {
      throw new BusError('failed', `${this.requests.size} requests are already in progress`);
    }
    const toSubject = this.bySubject.get(subject) ?? 0;
    if (toSubject >= this.maxOfSubject) {
      throw new BusError('failed', `${toSubject} requests to ${what} are already in progress`);
    }
    this.bySubject.set(subject, toSubject + 1);
    const token = randomToken();
    const { promise: answer, resolve, reject } = Promise.withResolvers<A>();
    const late = () =>
      this.fail(token, new BusError('timeout', `${what} did not answer within ${timeoutMs} ms`));
    this.requests.set(token, { subject, resolve, reject, timer: setTimeout(late, timeoutMs) });
    return { token, answer };
  }

  /** A late or duplicate answer is ignored. */
  answer(token: string, answer: A): void {
    this.take(token)?.resolve(answer);
  }

  fail(token: string, error: BusError): void {
    this.take(token)?.reject(error);
  }

  failAll(error: BusError, subject?: string): void {
    for (const [token, request] of this.requests) {
      if (subject === undefined || request.subject === subject) this.fail(token, error);
    }
  }

  private take(token: string): PendingRequest<A> | undefined {
    const request = this.requests.get(token);
    if (!request) return undefined;
    clearTimeout(request.timer);
    this.requests.delete(token);
    const left = this.bySubject.get(request.subject)! - 1;
    if (left > 0) this.bySubject.set(request.subject, left);
    else this.bySubject.delete(request.subject);
    return request;
  }
}
