import type { Msg } from '@nats-io/transport-node';
import type { Log } from '../util/log.ts';
import { PauseWatch } from '../util/pause-watch.ts';
import {
  ANY_ADDRESS,
  type Bus,
  BusError,
  checkAddress,
  type RequestHandler,
  type Subscription,
} from './bus.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { BusMessages, BusRequests } from './messages.ts';
import { Connection, type Sent } from './nats-connection.ts';
import type { NatsServers } from './nats-options.ts';
import { PendingQuestions } from './nats-pending.ts';
import {
  addressIn,
  inboxSubject,
  mayAnswerAt,
  questionSubject,
  queueGroup,
  randomToken,
  topicSubject,
} from './nats-subjects.ts';
import { encode, readAnswer, readMessage, readRequest } from './nats-wire.ts';

export interface NatsBusOptions extends NatsServers {
  /** The host that this process is, or null for one of the control plane. It decides where answers may come in. */
  hostId: string | null;
  log: Log;
  /** How long the start waits for a server; null: for ever. */
  connectTimeoutMs?: number | null;
  /** Messages that may wait for one subscriber; above it the oldest is dropped. */
  maxPending?: number;
  /** Requests of this process that may be under way; above it a request fails at once. */
  maxRequests?: number;
  /** Requests of others that this process may be at; above it they are answered with an error at once. */
  maxServing?: number;
  /** The share of one address, so that a host that asks more than it may leaves room for the others. */
  maxServingPerAddress?: number;
  pauses?: PauseWatch;
}

/**
 * The bus over a NATS server (docs/decisions/009-nats.md). At most once: what is published while the server is out of
 * reach is dropped, and requests then fail at once. A request, with its answer, must fit the server's max_payload.
 */
export class NatsBus implements Bus {
  /**
   * Since the start: messages that a slow subscriber lost; publications that were not sent (outage, too large, too
   * much under way); what arrived and was no message of ours, asked for its answer where no answer may go, or had
   * waited while this process stood still.
   */
  readonly counts = { dropped: 0, unsent: 0, refused: 0 };
  private readonly options: NatsBusOptions;
  private readonly questions: PendingQuestions<Msg>;
  private readonly inbox = randomToken();
  /** The inbox subjects that this process listens at. */
  private readonly inboxes = new Set<string>();
  private connection!: Connection;
  private readonly queues = new Set<{ close(): void }>();
  private readonly pauses: PauseWatch;
  private catchingUp = false;
  private serving = 0;
  private readonly servingOf = new Map<string, number>();
  private closed = false;

  private constructor(options: NatsBusOptions) {
    this.options = options;
    this.questions = new PendingQuestions(options.maxRequests ?? 4096);
    this.pauses = options.pauses ?? new PauseWatch();
  }

  /** @throws BusError as Connection.open */
  static async connect(options: NatsBusOptions): Promise<NatsBus> {
    if (options.hostId !== null) checkAddress(options.hostId);
    const bus = new NatsBus(options);
    const { questions } = bus;
    const listener = {
      onDown: () => questions.failAll(unreachable()),
      onForbidden: (subject: string) =>
        questions.failAll(new BusError('failed', `this process may not send ${subject}`), subject),
    };
    const { connectTimeoutMs = 10_000 } = options;
    const servers = { ...options, deadlineMs: connectTimeoutMs };
    try {
      bus.connection = await Connection.open(servers, listener, options.log);
    } catch (error) {
      bus.pauses[Symbol.dispose]();
      throw error;
    }
    if (bus.connection.letsAnyoneIn) {
      options.log.warn(
        { url: options.url },
        'the NATS server lets anyone in, who may then pose as any host: give it what phonebooth hosts nats-config prints',
      );
    }
    bus.listenForAnswers(options.hostId === null ? 'host.orders' : 'control-plane.report');
    return bus;
  }

  get isUp(): boolean {
    return this.connection.isUp;
  }

  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void {
    if (this.closed) return;
    if (this.connection.send(topicSubject(topic), encode(message)) !== 'sent') this.counts.unsent += 1;
  }

  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription {
    const { maxPending = 1024 } = this.options;
    const onDrop = () => {
      this.counts.dropped += 1;
    };
    const queue = new DeliveryQueue(handler, { maxPending, onDrop });
    this.queues.add(queue);
    const subscription = this.connection.subscribe(topicSubject(topic), ({ data }) => {
      const message = readMessage(topic, data);
      if (message === null) this.counts.refused += 1;
      else queue.push(message);
    });
    return {
      close: () => {
        queue.close();
        this.queues.delete(queue);
        subscription.close();
      },
    };
  }

  async request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    { timeoutMs }: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']> {
    if (this.closed) throw closedError();
    checkAddress(address);
    const what = `${name} at ${address}`;
    const data = encode(request);
    const subject = questionSubject(name, address);
    // So that what others ask next is served: only what they asked during the pause is passed over.
    if (this.pauses.isInDoubt) void this.catchUp();
    this.listenForAnswers(name);
    const { token, answer } = this.questions.add(subject, what, timeoutMs);
    const sent = this.connection.send(subject, data, inboxSubject(name, address, this.inbox, token));
    if (sent !== 'sent') this.questions.fail(token, this.whyUnsent(sent, what, data));
    const reply = await answer;
    if (reply.headers?.code === 503 && reply.data.length === 0) {
      throw new BusError('no-responder', `nobody serves ${what}`);
    }
    return readAnswer(name, reply.data);
  }

  serve<R extends keyof BusRequests>(name: R, address: string, handler: RequestHandler<R>): Subscription {
    if (address !== ANY_ADDRESS) checkAddress(address);
    const take = (question: Msg) => void this.take(name, question, handler);
    return this.connection.subscribe(questionSubject(name, address), take, queueGroup(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    this.pauses[Symbol.dispose]();
    for (const queue of this.queues) queue.close();
    this.queues.clear();
    this.questions.failAll(closedError());
    await this.connection[Symbol.asyncDispose]();
  }

  /** A host listens for answers to itself alone. A process of the control plane may have a host of its own. */
  private listenForAnswers(name: keyof BusRequests): void {
    const subject = inboxSubject(name, this.options.hostId ?? ANY_ADDRESS, this.inbox, ANY_ADDRESS);
    if (this.inboxes.has(subject)) return;
    this.inboxes.add(subject);
    this.connection.subscribe(subject, (answer) =>
      this.questions.answer(answer.subject.slice(answer.subject.lastIndexOf('.') + 1), answer),
    );
  }

  /** Never rejects: whatever a host sends, it is the host that hears of it. */
  private async take<R extends keyof BusRequests>(
    name: R,
    { subject, reply, data }: Msg,
    handler: RequestHandler<R>,
  ): Promise<void> {
    const address = addressIn(subject);
    if (!reply || !mayAnswerAt(reply, name, address)) {
      this.counts.refused += 1;
      return;
    }
    if (this.pauses.isInDoubt) {
      this.counts.refused += 1;
      void this.catchUp();
      return;
    }
    const request = readRequest(name, data);
    if (request === null) {
      this.counts.refused += 1;
      this.tell(reply, { error: `this is no ${name}` });
      return;
    }
    const { maxServing = 4096, maxServingPerAddress = 256 } = this.options;
    const ofAddress = this.servingOf.get(address) ?? 0;
    if (this.serving >= maxServing || ofAddress >= maxServingPerAddress) {
      const what =
        ofAddress >= maxServingPerAddress
          ? `${ofAddress} requests of ${address}`
          : `${this.serving} requests`;
      this.tell(reply, { error: `${what} are being served already` });
      return;
    }
    this.serving += 1;
    this.servingOf.set(address, ofAddress + 1);
    try {
      await nextTurn();
      this.tell(reply, { answer: await handler(request, address) });
    } catch (error) {
      this.tell(reply, { error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.serving -= 1;
      const left = this.servingOf.get(address)! - 1;
      if (left > 0) this.servingOf.set(address, left);
      else this.servingOf.delete(address);
    }
  }

  /**
   * After a pause of this process, what was asked meanwhile is passed over: who asked has given up or asked another, and
   * what a host said of itself then is no longer so.
   */
  private async catchUp(): Promise<void> {
    if (this.catchingUp) return;
    this.catchingUp = true;
    const confirm = this.pauses.ask();
    await this.connection.caughtUp().then(confirm, () => {});
    this.catchingUp = false;
  }

  /** An answer that cannot be sent is lost, unless it can be said why. */
  private tell(reply: string, answer: { answer: unknown } | { error: string }): void {
    const data = encode(answer);
    const sent = this.connection.send(reply, data);
    if (sent !== 'too-large') return;
    const { message } = this.whyUnsent(sent, 'the answer', data);
    this.connection.send(reply, encode({ error: message }));
  }

  private whyUnsent(sent: Exclude<Sent, 'sent'>, what: string, data: Uint8Array): BusError {
    if (sent === 'unreachable') return this.closed ? closedError() : unreachable();
    const { maxPayload } = this.connection;
    return new BusError(
      'failed',
      sent === 'too-large'
        ? `${what} takes ${data.length} bytes, and the NATS server carries ${maxPayload} (max_payload)`
        : `${what} was not sent: the NATS server takes nothing at present`,
    );
  }
}

const closedError = () => new BusError('closed', 'the bus was closed');
const unreachable = () => new BusError('unreachable', 'the NATS server is out of reach');
/** Handlers run apart from the reading of the socket, as they do on every bus. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
