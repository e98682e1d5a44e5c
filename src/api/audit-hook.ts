import type { FastifyRequest } from 'fastify';
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

/** The results that the operations returned, by request. */
export const resultsOf = new WeakMap<FastifyRequest, unknown>();

const events = new WeakMap<FastifyRequest, AuditEvent>();

/** The audit event of a request. The store writes it in the transaction of the operation's change. */
export function auditEventOf(request: FastifyRequest, action: OperationId): AuditEvent {
  const principal = request.getDecorator<Principal | null>('principal');
  const event: AuditEvent = events.get(request) ?? {
    accountId: principal?.accountId ?? null,
    keyId: principal?.keyId ?? null,
    action,
    address: addressOf(request),
    targets: identifiersIn(request.params),
  };
  events.set(request, event);
  return event;
}

type OnSend = (request: FastifyRequest, reply: unknown, payload: unknown) => Promise<unknown>;

/**
 * Creates the hook of each operation that records requests which changed nothing in the audit trail: rejected
 * requests, replays, and requests without a valid key. For a read-only operation, only requests without a valid key
 * are recorded. The audit entry of a change is written in the transaction of that change.
 */
export function auditHooks(trail: AuditTrail): (id: OperationId, operation: Operation) => OnSend {
  return (id, { method }) =>
    async (request, _reply, payload) => {
      const code = codesOf.get(request) ?? 0;
      if (!request.getDecorator<Principal | null>('principal')) {
        if (code === ERRORS.unauthorized.code)
          await trail.authenticationFailed({ action: id, address: addressOf(request) });
        return payload;
      }
      if (method === 'GET') return payload;
      const event = auditEventOf(request, id);
      const enter = async (outcome: number) => {
        if (outcome === 0 && event.isRecorded) return;
        const { accountId, keyId, action, address, targets } = event;
        // No row names the file that was changed, so each file has its own entry.
        const isOfFile = targets.some(({ kind }) => kind === 'file');
        const subject = isOfFile ? JSON.stringify(targets) : undefined;
        await trail.add({
          ...{ accountId, keyId, action, address, targets, code: outcome },
          ...(subject !== undefined && { subject }),
        });
      };
      const result = resultsOf.get(request);
      if (result instanceof ServerSentEvents)
        result.once('close', () => void enter(result.outcome?.code ?? code));
      else await enter(code);
      return payload;
    };
}
