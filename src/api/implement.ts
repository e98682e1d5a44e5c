import type { Readable } from 'node:stream';
import { success } from '../contract/http/envelope.ts';
import type { OperationId, Operations, OperationTypes } from '../contract/http/operations.ts';
import type { AuditTrail } from '../control-plane/audit/trail.ts';
import { type ControlPlaneContext, type ControlPlaneMeter, noMeter } from '../control-plane/context.ts';
import type { ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import type { BorrowOptions, BorrowRequest } from '../control-plane/queue/borrow-request.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Slots } from '../util/slots.ts';
import type { ClientTrace } from '../util/steps.ts';
import type { Authenticator } from './authenticate.ts';
import type { ByteRange, RangeHeaders } from './byte-range.ts';
import type { RequestLimits } from './limits/request-limits.ts';

/** A response that contains an image instead of JSON. */
export class ImageResponse {
  readonly type: string;
  readonly bytes: Uint8Array;
  constructor(type: 'image/png' | 'image/webp', bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

interface FileParts {
  name: string;
  /** Size of the whole file. */
  size: number;
  /** The content, or the requested part of it. */
  bytes: Readable;
  /** Media type; absent: unknown. */
  type?: string;
  /** Whether browsers may show it. Whatever it contains, nothing in it can run in the origin of the service. */
  isInline?: boolean;
  /** For a file that never changes: an identifier of its content. Clients can then request parts of it. */
  etag?: string;
  /** The part that `bytes` contains, both included; absent: all. */
  part?: ByteRange | null;
}

/** A response that contains a file, which is streamed. */
export class FileResponse {
  readonly parts: FileParts;
  constructor(parts: FileParts) {
    this.parts = parts;
  }
}

/** Meter of API activity. */
export interface ApiMeter extends ControlPlaneMeter {
  /** @param answer `code` is the code in the envelope */
  answered(answer: { operation: string; code: number; seconds: number }): void;
}

/** Meter that records nothing. */
export const noApiMeter: ApiMeter = { ...noMeter, answered: () => {} };

/** A response of many lines, each an item as JSON. The items are streamed and never all in memory. */
export class Lines {
  readonly items: AsyncIterable<unknown>;
  constructor(items: AsyncIterable<unknown>) {
    this.items = items;
  }
}

/** A successful response whose body is already encoded, for data that several responses contain. */
export class EncodedJson<T> {
  /** The whole envelope as JSON. */
  readonly body: string;
  constructor(data: T) {
    this.body = JSON.stringify(success(data));
  }
}

/** The services that operations use. */
export interface ApiContext extends ControlPlaneContext {
  meter: ApiMeter;
  maxDurationMinutes: number;
  /** Maximum lifetime of a key that is created with a key issued by a sign-in. */
  maxKeyLifetimeMs: number;
  maxAppBytes: number;
  /** Slots of the uploads in progress, by account. */
  uploads: Slots;
  /** Maximum size of a file that is pushed to a phone. */
  maxFileBytes: number;
  /** Slots of the operations on files of phones, by account. */
  transfers: Slots;
  /** Slots of the artifacts that are being downloaded, by account. */
  downloads: Slots;
  authenticator: Authenticator;
  /** Records rejected requests and what clients do on sockets. Changes are recorded by the store. */
  trail: AuditTrail;
  /** Event streams, and the queue for phones. */
  events: { listen(listener: Principal, lastEventId: string | null): Promise<ServerSentEvents> };
  borrowQueue: { borrow(request: BorrowRequest, options: BorrowOptions): Promise<SessionRow> };
  /** Request rate limits by key and by address. */
  limits: RequestLimits;
  /**
   * `mayBePrivate`: whether webhooks may send to addresses outside the public Internet. `notify` starts delivery of
   * pending messages immediately.
   */
  webhooks: { mayBePrivate: boolean; notify(): void };
  /** Default limits of a new account; null: unlimited. */
  newAccounts: {
    quotaMinutes: number | null;
    maxSessions: number | null;
    maxAppBytes: number | null;
    maxArtifactBytes: number | null;
    /** null: artifacts are never deleted. */
    artifactDays: number | null;
  };
}

/** The context of a request, in addition to its input. */
export interface Caller {
  principal: Principal;
  /** The audit event. The operation passes it to the store, which writes it in the transaction of the change. */
  audit: AuditEvent;
  /** The `Idempotency-Key` header, if the operation accepts one. */
  idempotencyKey: string | null;
  /** The uploaded file, if the operation accepts one. */
  file: UploadedFile;
  /** Whether the `Accept` header prefers JSON lines, for operations that offer them. */
  wantsLines: boolean;
  /** Whether the `Accept` header requests an event stream, for operations that offer one. */
  wantsEvents: boolean;
  /** The `Last-Event-ID` header. */
  lastEventId: string | null;
  /** The headers `Range` and `If-Range`. */
  range: RangeHeaders;
  /** Whether the method is HEAD: the response has headers, and its body is not sent. */
  isHead: boolean;
  /** The request id, for errors that are sent in an event stream. */
  requestId: string;
  /** The trace that the client is recording, for the step of a session that the request creates. */
  trace: ClientTrace;
  /** Creates a signal that is aborted when the client disconnects before it has received the whole response. */
  whenDisconnected(): AbortSignal;
}

/** A request body that is a file. Reading `bytes` throws an ApiError when the body is not valid. */
export interface UploadedFile {
  bytes: AsyncIterable<Uint8Array>;
  /** The `Content-Length` of the whole body, including any multipart form; null if the client sent none. */
  announcedBytes: number | null;
}

type BytesResponse<Id extends OperationId> = Operations[Id]['answer'] extends 'application/octet-stream'
  ? FileResponse
  : ImageResponse;

/** The result type of a handler. An image is sent as its bytes, with its media type in a header. */
type Answer<Id extends OperationId> =
  | (OperationTypes[Id]['answer'] extends Uint8Array ? BytesResponse<Id> : OperationTypes[Id]['answer'])
  | EncodedJson<OperationTypes[Id]['answer']>
  | (Operations[Id] extends { asLines: true } ? Lines : never)
  | (Operations[Id] extends { events: object } ? ServerSentEvents : never);

type Input<Id extends OperationId> = Pick<OperationTypes[Id], 'params' | 'query' | 'body'>;

/** The handler of one operation. Its input is validated against the operation's schemas before the call. */
export interface Implementation {
  id: OperationId;
  handle(
    context: ApiContext,
    call: { params: unknown; query: unknown; body: unknown } & Caller,
  ): Promise<unknown>;
}

/**
 * Implements an operation. The server has already checked the operation's `access`; the handler calls one rule or
 * query and shapes the response.
 */
export function implement<Id extends OperationId>(
  id: Id,
  handle: (context: ApiContext, call: Input<Id> & Caller) => Promise<Answer<Id>>,
): Implementation {
  return { id, handle: handle as unknown as Implementation['handle'] };
}
