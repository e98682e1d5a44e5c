import { BusError } from './bus.ts';
import { randomToken } from './nats-subjects.ts';

const SHARES = 8;
const LEAST_SHARE = 16;

interface Question<A> {
  subject: string;
  resolve: (answer: A) => void;
  reject: (error: BusError) => void;
  timer: NodeJS.Timeout;
}

/**
 * The requests under way, bounded, each with its deadline, by the token that its answer will come with. Tokens are
 * random: a host that sees those of its own requests cannot answer another host's.
 */
export class PendingQuestions<A> {
  private readonly questions = new Map<string, Question<A>>();
  private readonly bySubject = new Map<string, number>();
  private readonly max: number;
  /** A host that does not answer has this share of them. */
  private readonly maxOfSubject: number;

  constructor(max: number, maxOfSubject = Math.max(LEAST_SHARE, Math.ceil(max / SHARES))) {
    this.max = max;
    this.maxOfSubject = maxOfSubject;
  }

  /** @throws BusError `failed` when as many as may be are under way, in all or to this subject */
  add(subject: string, what: string, timeoutMs: number): { token: string; answer: Promise<A> } {
    if (this.questions.size >= this.max) {
      throw new BusError('failed', `${this.questions.size} requests are under way already`);
    }
    const toSubject = this.bySubject.get(subject) ?? 0;
    if (toSubject >= this.maxOfSubject) {
      throw new BusError('failed', `${toSubject} requests to ${what} are under way already`);
    }
    this.bySubject.set(subject, toSubject + 1);
    const token = randomToken();
    const { promise: answer, resolve, reject } = Promise.withResolvers<A>();
    const late = () =>
      this.fail(token, new BusError('timeout', `${what} did not answer within ${timeoutMs} ms`));
    this.questions.set(token, { subject, resolve, reject, timer: setTimeout(late, timeoutMs) });
    return { token, answer };
  }

  /** An answer that comes late, or twice, is nobody's. */
  answer(token: string, answer: A): void {
    this.take(token)?.resolve(answer);
  }

  fail(token: string, error: BusError): void {
    this.take(token)?.reject(error);
  }

  failAll(error: BusError, subject?: string): void {
    for (const [token, question] of this.questions) {
      if (subject === undefined || question.subject === subject) this.fail(token, error);
    }
  }

  private take(token: string): Question<A> | undefined {
    const question = this.questions.get(token);
    if (!question) return undefined;
    clearTimeout(question.timer);
    this.questions.delete(token);
    const left = this.bySubject.get(question.subject)! - 1;
    if (left > 0) this.bySubject.set(question.subject, left);
    else this.bySubject.delete(question.subject);
    return question;
  }
}
