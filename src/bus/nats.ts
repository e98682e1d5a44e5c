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
import { PendingRequests } from './nats-pending.ts';
import { type Answer, RequestServer } from './nats-serving.ts';
import { inboxSubject, queueGroup, randomToken, requestSubject, topicSubject } from './nats-subjects.ts';
import { encode, readMessage, readResponse } from './nats-wire.ts';

export interface NatsBusOptions extends NatsServers {
  /**
   * Identifier of the host that this process is; null for a process of the control plane. Determines the inbox for
   * responses.
   */
  hostId: string | null;
  log: Log;
  /** How long the start waits for a server, ms; null: indefinitely. */
  connectTimeoutMs?: number | null;
  /** Maximum number of waiting messages per subscriber; when it is reached, the oldest is dropped. */
  maxPending?: number;
  /** Maximum number of pending requests of this process; when it is reached, a request fails at once. */
  maxRequests?: number;
  /**
   * Maximum number of requests that this process handles at once; when it is reached, requests are answered with an
   * error.
   */
  maxServing?: number;
  /**
   * The part of `maxServing` that the requests of one host, or for one session of this host, may use, so that neither
   * blocks others.
   */
  maxServingPerShare?: number;
  pauses?: PauseWatch;
}

/**
 * The bus over a NATS server (docs/decisions/009-nats.md), with at-most-once delivery. While the server is
 * unreachable, published messages are dropped and requests fail at once. A request or response must fit into the
 * server's max_payload.
 */
export class NatsBus implements Bus {
  /**
   * Counters since the start. `dropped`: messages that a slow subscriber lost. `unsent`: publications that were not
   * sent, because of an outage, their size, or too many unconfirmed bytes. `refused`: malformed messages, requests
   * whose reply subject is not permitted, and requests that had waited while this process was paused.
   */
  readonly counts = { dropped: 0, unsent: 0, refused: 0 };
  private readonly options: NatsBusOptions;
  private readonly requests: PendingRequests<Msg>;
  private readonly inbox = randomToken();
  /** The inbox subjects to which this process has subscribed. */
  private readonly inboxes = new Set<string>();
  private connection!: Connection;
  private readonly queues = new Set<{ close(): void }>();
  private readonly pauses: PauseWatch;
  private readonly server: RequestServer;
  private closed = false;

  private constructor(options: NatsBusOptions) {
    this.options = options;
    this.requests = new PendingRequests(options.maxRequests ?? 4096);
    this.pauses = options.pauses ?? new PauseWatch();
    const { maxServing = 4096, maxServingPerShare = 64 } = options;
    this.server = new RequestServer({
      maxServing,
      maxServingPerShare,
      pauses: this.pauses,
      caughtUp: () => this.connection.caughtUp(),
      respond: (reply, answer) => this.respond(reply, answer),
      onRefused: () => {
        this.counts.refused += 1;
      },
    });
  }

  /** @throws BusError as Connection.open does */
  static async connect(options: NatsBusOptions): Promise<NatsBus> {
    if (options.hostId !== null) checkAddress(options.hostId);
    const bus = new NatsBus(options);
    const { requests } = bus;
    const listener = {
      onDown: () => requests.failAll(unreachable()),
      onForbidden: (subject: string) =>
        requests.failAll(
          new BusError(
            'failed',
            `this process is not allowed to send ${subject}; update the configuration of the NATS server with phonebooth hosts nats-config`,
          ),
          subject,
        ),
    };
    const { connectTimeoutMs = 10_000 } = options;
    const servers = { ...options, deadlineMs: connectTimeoutMs };
    try {
      bus.connection = await Connection.open(servers, listener, options.log);
    } catch (error) {
      bus.pauses[Symbol.dispose]();
      throw error;
    }
    if (bus.connection.allowsAnonymous) {
      options.log.warn(
        { url: options.url },
        'NATS server accepts clients without authentication, so any client can impersonate a host; configure ' +
          'it with the output of phonebooth hosts nats-config',
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
    const subject = requestSubject(name, address);
    // Lets later requests from others be served; only those that arrived during the pause are discarded.
    if (this.pauses.isInDoubt) void this.server.catchUp();
    this.listenForAnswers(name);
    const { token, answer } = this.requests.add(subject, what, timeoutMs);
    const sent = this.connection.send(subject, data, inboxSubject(name, address, this.inbox, token));
    if (sent !== 'sent') this.requests.fail(token, this.whyUnsent(sent, what, data));
    const reply = await answer;
    if (reply.headers?.code === 503 && reply.data.length === 0) {
      throw new BusError('no-responder', `no subscriber serves ${what}`);
    }
    return readResponse(name, reply.data);
  }

  serve<R extends keyof BusRequests>(name: R, address: string, handler: RequestHandler<R>): Subscription {
    if (address !== ANY_ADDRESS) checkAddress(address);
    const take = (question: Msg) => void this.server.answer(name, question, handler);
    return this.connection.subscribe(requestSubject(name, address), take, queueGroup(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    this.pauses[Symbol.dispose]();
    for (const queue of this.queues) queue.close();
    this.queues.clear();
    this.requests.failAll(closedError());
    await this.connection[Symbol.asyncDispose]();
  }

  /** A host listens for its own responses only. A process of the control plane may also run a host. */
  private listenForAnswers(name: keyof BusRequests): void {
    const subject = inboxSubject(name, this.options.hostId ?? ANY_ADDRESS, this.inbox, ANY_ADDRESS);
    if (this.inboxes.has(subject)) return;
    this.inboxes.add(subject);
    this.connection.subscribe(subject, (answer) =>
      this.requests.answer(answer.subject.slice(answer.subject.lastIndexOf('.') + 1), answer),
    );
  }

  /**
   * Sends a response. If it is too large, an error is sent instead; otherwise a response that cannot be sent is lost.
   */
  private respond(reply: string, answer: Answer): void {
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
        ? `${what} is ${data.length} bytes, which exceeds max_payload of the NATS server (${maxPayload} bytes); raise it`
        : `${what} was not sent: the NATS server does not accept data at present`,
    );
  }
}

const closedError = () => new BusError('closed', 'the bus is closed');
const unreachable = () => new BusError('unreachable', 'the NATS server is unavailable');
