import type { OperationId, Operations, OperationTypes } from '../contract/http/operations.ts';
import type { ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { ClientTrace } from '../util/steps.ts';
import type { RangeHeaders } from './byte-range.ts';
import type { ApiContext } from './context.ts';
import type { EncodedJson, FileResponse, ImageResponse, Lines } from './responses.ts';

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
