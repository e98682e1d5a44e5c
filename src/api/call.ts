import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { OperationId } from '../contract/http/operations.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { ClientTrace } from '../util/steps.ts';
import { auditEventOf } from './audit-hook.ts';
import { type RangeHeaders, rangeHeaders } from './byte-range.ts';
import type { Caller, UploadedFile } from './implement.ts';
import { wantsLines } from './json-lines.ts';
import { fileOf } from './read-file.ts';
import type { RequestParts } from './read-request.ts';

/** The request of a call, and what the server knows about it. */
interface CallParts {
  id: OperationId;
  idempotencyKey: string | null;
  request: FastifyRequest;
  response: ServerResponse;
}

/** The input and the context of a request. What few operations use is computed when it is used. */
export class Call implements Caller {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly principal: Principal;
  readonly idempotencyKey: string | null;
  private readonly id: OperationId;
  private readonly request: FastifyRequest;
  private readonly response: ServerResponse;

  constructor({ params, query, body }: RequestParts, { id, idempotencyKey, request, response }: CallParts) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.principal = request.principal!;
    this.idempotencyKey = idempotencyKey;
    this.id = id;
    this.request = request;
    this.response = response;
  }

  get audit(): AuditEvent {
    return auditEventOf(this.request, this.id);
  }

  get file(): UploadedFile {
    return fileOf(this.request);
  }

  get wantsLines(): boolean {
    return wantsLines(this.request.headers.accept);
  }

  get wantsEvents(): boolean {
    return /\btext\/event-stream\b/i.test(this.request.headers.accept ?? '');
  }

  get lastEventId(): string | null {
    return this.request.headers['last-event-id']?.toString() ?? null;
  }

  get range(): RangeHeaders {
    return rangeHeaders(this.request.headers);
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get requestId(): string {
    return this.request.id;
  }

  get trace(): ClientTrace {
    return clientTrace(this.request.headers);
  }

  whenDisconnected(): AbortSignal {
    const gone = new AbortController();
    const onClose = () => {
      if (!this.response.writableFinished) gone.abort();
    };
    if (this.response.destroyed) onClose();
    else this.response.once('close', onClose);
    return gone.signal;
  }
}

export const clientTrace = ({ traceparent, tracestate }: IncomingMessage['headers']): ClientTrace => ({
  traceparent: traceparent?.toString(),
  tracestate: tracestate?.toString(),
});
