import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ERRORS } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import type { OperationId } from '../contract/http/operations.ts';
import { identifiersIn } from '../control-plane/audit/targets.ts';
import type { AuditTrail } from '../control-plane/audit/trail.ts';
import { ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import { addressOf } from './address.ts';
import { codesOf } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null until the request is authenticated. */
    principal: Principal | null;
    /** When the request was authenticated, `performance.now()`. */
    authenticatedAt: number;
    auditEvent: AuditEvent | null;
    /** What the operation returned. */
    result: unknown;
  }
}

/** Adds the properties of requests to operations. */
export function decorateRequests(api: FastifyInstance): void {
  api.decorateRequest('principal', null);
  api.decorateRequest('authenticatedAt', 0);
  api.decorateRequest('auditEvent', null);
  api.decorateRequest('result', undefined);
}

/** The audit event of a request. The store writes it in the transaction of the operation's change. */
export function auditEventOf(request: FastifyRequest, action: OperationId): AuditEvent {
  const { principal } = request;
  request.auditEvent ??= {
    accountId: principal?.accountId ?? null,
    keyId: principal?.keyId ?? null,
    action,
    address: addressOf(request),
    targets: identifiersIn(request.params),
  };
  return request.auditEvent;
}

type Done = (error: Error | null, payload: unknown) => void;
type OnSend = (request: FastifyRequest, reply: unknown, payload: unknown, done: Done) => void;

/**
 * Creates the hook of each operation that records requests which changed nothing in the audit trail: rejected
 * requests, replays, and requests without a valid key. For a read-only operation, only requests without a valid key
 * are recorded. The audit entry of a change is written in the transaction of that change.
 */
export function auditHooks(trail: AuditTrail): (id: OperationId, operation: Operation) => OnSend {
  return (id, { method }) =>
    (request, _reply, payload, done) => {
      const recorded = record(trail, request, id, method);
      if (recorded) recorded.then(() => done(null, payload), done as (error: Error) => void);
      else done(null, payload);
    };
}

/** Returns the write that the response waits for, if any. */
function record(
  trail: AuditTrail,
  request: FastifyRequest,
  id: OperationId,
  method: Operation['method'],
): Promise<void> | undefined {
  const code = codesOf.get(request) ?? 0;
  if (!request.principal) {
    if (code !== ERRORS.unauthorized.code) return undefined;
    return trail.authenticationFailed({ action: id, address: addressOf(request) });
  }
  if (method === 'GET') return undefined;
  const event = auditEventOf(request, id);
  const enter = (outcome: number) => {
    if (outcome === 0 && event.isRecorded) return undefined;
    const { accountId, keyId, action, address, targets } = event;
    // No row names the file that was changed, so each file has its own entry.
    const isOfFile = targets.some(({ kind }) => kind === 'file');
    const subject = isOfFile ? JSON.stringify(targets) : undefined;
    return trail.add({
      accountId,
      keyId,
      action,
      address,
      targets,
      code: outcome,
      ...(subject !== undefined && { subject }),
    });
  };
  const { result } = request;
  if (!(result instanceof ServerSentEvents)) return enter(code);
  result.once('close', () => void enter(result.outcome?.code ?? code));
  return undefined;
}
