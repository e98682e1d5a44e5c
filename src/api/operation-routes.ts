import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { success } from '../contract/http/envelope.ts';
import type { Operation } from '../contract/http/operation.ts';
import type { OperationId } from '../contract/http/operations.ts';
import { EVENT_STREAM, ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import { addressOf } from './address.ts';
import { auditHooks, decorateRequests } from './audit-hook.ts';
import { authorise } from './authorise.ts';
import { Call } from './call.ts';
import type { ApiContext } from './context.ts';
import type { Implementation } from './implement.ts';
import { IMPLEMENTATIONS } from './implementations.ts';
import { JSON_LINES, linesOf } from './json-lines.ts';
import { OpenResponses } from './open-responses.ts';
import { takeFiles } from './read-file.ts';
import { type RequestParts, readIdempotencyKey, requestReader } from './read-request.ts';
import { EncodedJson, FileResponse, ImageResponse, Lines } from './responses.ts';
import { sendFile } from './send-file.ts';
import { authorizationOf } from './sign-in/session-cookie.ts';

/** A stream has its own connection. `x-accel-buffering` prevents nginx and other proxies from buffering it. */
const STREAM_HEADERS = { 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no', connection: 'close' };

const FILE = 'application/octet-stream';

/** A request whose body takes longer than this to arrive has its key checked again. */
const REAUTHENTICATE_MS = 1_000;

/** The operations that borrow a phone, and count against the `connect` limit. */
const CONNECTS: ReadonlySet<OperationId> = new Set(['devices.connect', 'sessions.borrow']);

/** Adds a route for each operation of the API, which authenticates, authorises and reads its requests. */
export async function addOperations(
  api: FastifyInstance,
  context: ApiContext,
  table: Record<OperationId, Operation>,
): Promise<void> {
  const { authenticator } = context;
  const auditHook = auditHooks(context.trail);
  const openResponses = new OpenResponses(context.store, context.log);
  api.addHook('onClose', async () => openResponses[Symbol.dispose]());
  decorateRequests(api);
  const add = (scope: FastifyInstance, implementation: Implementation) => {
    const operation = table[implementation.id];
    const read = requestReader(operation);
    scope.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationId: implementation.id },
      onRequest: async (request, reply) => {
        const principal = await authenticator.authenticate(authorizationOf(request), addressOf(request));
        // Checked before the principal is set: requests that exceed the rate limit are not recorded in the audit
        // trail.
        reply.headers(
          context.limits.admitKey(principal.limitKeyId, { connects: CONNECTS.has(implementation.id) }),
        );
        request.principal = principal;
        authorise(principal.role, operation.access);
        request.authenticatedAt = performance.now();
      },
      preHandler: (request, _reply, done) => {
        if (performance.now() - request.authenticatedAt <= REAUTHENTICATE_MS) return done();
        // The key may have been revoked while the client sent its body slowly.
        authenticator.authenticate(authorizationOf(request), addressOf(request)).then(() => done(), done);
      },
      onSend: auditHook(implementation.id, operation),
      handler: (request, reply) => {
        if (operation.upload || operation.asLines || operation.answer === FILE)
          openResponses.add(request.principal!.keyId, reply.raw);
        return answer(context, implementation, operation, read, request, reply);
      },
    });
  };
  const [uploads, others] = partition(IMPLEMENTATIONS, ({ id }) => table[id].upload !== undefined);
  for (const implementation of others) add(api, implementation);
  await api.register(async (scope) => {
    await takeFiles(scope);
    for (const implementation of uploads) add(scope, implementation);
  });
}

function partition<T>(items: T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

async function answer(
  context: ApiContext,
  implementation: Implementation,
  operation: Operation,
  read: (parts: RequestParts) => RequestParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { params, query } = request;
  const input = read({ params, query, body: operation.upload ? undefined : request.body });
  const idempotencyKey = operation.idempotencyKey
    ? readIdempotencyKey(request.headers['idempotency-key'])
    : null;
  const call = new Call(input, { id: implementation.id, idempotencyKey, request, response: reply.raw });
  const data = await implementation.handle(context, call);
  request.result = data;
  if (data instanceof ImageResponse) return reply.type(data.type).send(data.bytes);
  if (data instanceof FileResponse) return sendFile(reply, data);
  if (data instanceof ServerSentEvents) return reply.headers(STREAM_HEADERS).send(data);
  if (data instanceof Lines) return reply.type(JSON_LINES).send(linesOf(data));
  return reply.type('application/json').send(data instanceof EncodedJson ? data.body : success(data));
}
