import type { FastifyInstance } from 'fastify';
import { ERRORS } from '../contract/http/errors.ts';
import type { ApiContext } from './context.ts';

export interface Health extends Pick<ApiContext, 'store'> {
  /** Why this process does not accept traffic; null if it does. */
  readinessProblem(): string | null;
}

/**
 * Adds `/livez`, which reports that this process runs, and `/readyz`, which reports that it accepts traffic and
 * reaches the store.
 */
export function addHealthRoutes(app: FastifyInstance, { store, readinessProblem }: Health): void {
  const storeProblem = pingOf(store);
  app.get('/livez', async () => ({ code: 0, message: 'success', data: {} }));
  app.get('/readyz', async (_request, reply) => {
    const problem = readinessProblem() ?? (await storeProblem());
    if (problem === null) return { code: 0, message: 'success', data: {} };
    // Not thrown: a process that starts or shuts down has no error to log for each probe.
    const { code, status } = ERRORS.unavailable;
    return reply.code(status).header('retry-after', '2').send({ code, message: problem, data: {} });
  });
}

/** Probes come from anywhere and without a key: they share one query a second. */
const PING_MS = 1_000;

function pingOf(store: Health['store']): () => Promise<string | null> {
  let latest: Promise<string | null> | null = null;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest === null || performance.now() - at >= PING_MS) {
      at = performance.now();
      latest = store.ping().then(
        () => null,
        () => 'store is unavailable',
      );
    }
    return latest;
  };
}
