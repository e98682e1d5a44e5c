import type { Bus } from '../bus/bus.ts';
import type { OperationId, Operations, OperationTypes } from '../contract/operations.ts';
import type { TicketDesk } from '../link/ticket-desk.ts';
import type { AuditEvent } from '../store/admin-store.ts';
import type { Principal, SessionRow, Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Slots } from '../util/slots.ts';
import type { Steps } from '../util/steps.ts';
import type { TokenKeys } from '../util/token-keys.ts';
import type { AppFiles } from './apps/app-files.ts';
import type { ServerSentEvents } from './events/server-sent-events.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import type { BorrowOptions, Loan } from './queue/loan.ts';

/** An answer that is not JSON. */
export class Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
  constructor(type: 'image/png' | 'image/webp', bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** Who counts what the API does. */
export interface ApiMeter {
  /** `code` is the envelope's. */
  answered(answer: { operation: string; code: number; seconds: number }): void;
  sessionEnded(reason: string): void;
  webhookTried(outcome: 'delivered' | 'retried' | 'dead'): void;
}

/** For who has nobody that counts. */
export const uncounted: ApiMeter = {
  answered: () => {},
  sessionEnded: () => {},
  webhookTried: () => {},
};

/** An answer of many lines, each an item as JSON, that need not be held at once. */
export class Lines {
  readonly items: AsyncIterable<unknown>;
  constructor(items: AsyncIterable<unknown>) {
    this.items = items;
  }
}

/** What every operation works with. */
export interface ApiContext {
  store: Store;
  bus: Bus;
  /** Takes in the links of hosts that bring a picture or fetch an app. */
  tickets: TicketDesk;
  log: Log;
  steps: Steps;
  meter: ApiMeter;
  /** Public origins of the two socket hosts. */
  origins: { stream: string; control: string };
  /** Signs the tokens in socket addresses. */
  tokenKeys: Pick<TokenKeys, 'sign'>;
  maxDurationMinutes: number;
  /** Longest lifetime of a key that is created with a key that came of signing in. */
  maxKeyLifetimeMs: number;
  /** Only hosts that an operator added are heard. */
  hostsMustBeKnown: boolean;
  /** Devices that one host may introduce. */
  maxDevicesPerHost: number;
  /** The files of uploaded apps. */
  appFiles: AppFiles;
  maxAppBytes: number;
  /** What is kept free on the disk of the apps' files. */
  diskReserveBytes: number;
  /** Uploads under way, by account. */
  uploads: Slots;
  /** Where clients listen to events, and where they wait for a phone. */
  events: { listen(listener: Principal, lastEventId: string | null): Promise<ServerSentEvents> };
  waitingRoom: { borrow(loan: Loan, options: BorrowOptions): Promise<SessionRow> };
  /** How many requests are let through, by key and by address. */
  limits: RequestLimits;
  /** Whether they may go to addresses that are not of the public Internet; and who is told that one waits. */
  webhooks: { mayBePrivate: boolean; ring(): void };
  /** Limits of a new account, where nobody says otherwise; null: unlimited. */
  newAccounts: { quotaMinutes: number | null; maxSessions: number | null; maxAppBytes: number | null };
}

/** Who asks, beside what they ask. */
export interface Caller {
  principal: Principal;
  /** Goes with the change that the operation makes, so that the store writes both in one transaction. */
  audit: AuditEvent;
  /** The `Idempotency-Key` header, where the operation takes one. */
  idempotencyKey: string | null;
  /** Where the operation takes a file. */
  file: UploadedFile;
  /** The `Accept` header asks for lines, where the operation has them. */
  wantsLines: boolean;
  /** The `Accept` header asks for a stream of events, where the operation has one. */
  wantsEvents: boolean;
  /** The `Last-Event-ID` header. */
  lastEventId: string | null;
  /** For what is told of the request in an answer that goes on. */
  requestId: string;
  /** Makes a signal that is aborted when the client goes before it has its answer. */
  whenGone(): AbortSignal;
}

/** A body that is a file. Reading it throws an ApiError when it is not what it should be. */
export interface UploadedFile {
  bytes: AsyncIterable<Uint8Array>;
  /** What the client says that the whole body has, a form around the file with it; null: it does not. */
  announcedBytes: number | null;
}

/** The client sees the bytes of a picture; its type is a header. */
type Answer<Id extends OperationId> =
  | (OperationTypes[Id]['answer'] extends Uint8Array ? Picture : OperationTypes[Id]['answer'])
  | (Operations[Id] extends { asLines: true } ? Lines : never)
  | (Operations[Id] extends { events: object } ? ServerSentEvents : never);

type Input<Id extends OperationId> = Pick<OperationTypes[Id], 'params' | 'query' | 'body'>;

/** One operation's handler. Its input has been checked against the operation's schemas. */
export interface Implementation {
  id: OperationId;
  handle(
    context: ApiContext,
    call: { params: unknown; query: unknown; body: unknown } & Caller,
  ): Promise<unknown>;
}

/** A handler authorises by its operation's `access`, calls one rule or query, and shapes the answer. */
export function implement<Id extends OperationId>(
  id: Id,
  handle: (context: ApiContext, call: Input<Id> & Caller) => Promise<Answer<Id>>,
): Implementation {
  return { id, handle: handle as unknown as Implementation['handle'] };
}

/** What it takes to tell of a session. */
export type Announcers = Pick<ApiContext, 'bus' | 'log' | 'meter'>;

/** Tells whoever listens that a session's row changed; they read the row. */
export function announce({ bus, log, meter }: Announcers, session: SessionRow): void {
  const { id: sessionId, deviceId, accountId, status, endReason } = session;
  log.info({ sessionId, deviceId, accountId, status, endReason }, 'a session changed');
  if (endReason !== null) meter.sessionEnded(endReason);
  bus.publish('session.changed', {
    sessionId: session.id,
    hostId: session.hostId,
    status: session.status,
    endReason: session.endReason,
  });
}
