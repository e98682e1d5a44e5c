import type { FastifyRequest } from 'fastify';
import { ERRORS } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { OperationId } from '../../../contract/operations.ts';
import type { Principal } from '../../../store/store.ts';
import { addressOf } from '../../address.ts';
import { codesOf } from '../../errors.ts';
import { ServerSentEvents } from '../../events/server-sent-events.ts';
import { FailedKeys } from './failed-keys.ts';
import { auditTargets } from './targets.ts';
import type { AuditTrail } from './trail.ts';

/** What operations answered with, for the entries about them. */
export const resultsOf = new WeakMap<FastifyRequest, unknown>();

type OnSend = (request: FastifyRequest, reply: unknown, payload: unknown) => Promise<unknown>;

/**
 * Makes each operation's hook that has its entry written before its answer is sent; for an answer that is a stream, when
 * it is over. What only reads has none, unless its key was no good.
 */
export function auditHooks(trail: AuditTrail): (id: OperationId, operation: Operation) => OnSend {
  const failedKeys = new FailedKeys();
  return (id, { method }) =>
    async (request, _reply, payload) => {
      const code = codesOf.get(request) ?? 0;
      const address = addressOf(request);
      const principal = request.getDecorator<Principal | null>('principal');
      const isNoted = principal
        ? method !== 'GET'
        : code === ERRORS.unauthorized.code && failedKeys.isNoted(address);
      if (!isNoted) return payload;
      const by = { accountId: principal?.accountId ?? null, keyId: principal?.keyId ?? null, address };
      const { params, body } = request;
      const note = (outcome: number, data: unknown) =>
        trail.add({ ...by, action: id, code: outcome, targets: auditTargets(id, { params, body, data }) });
      const result = resultsOf.get(request);
      if (result instanceof ServerSentEvents) {
        result.once('close', () => void note(result.outcome?.code ?? code, result.outcome?.data));
      } else await note(code, result);
      return payload;
    };
}
