import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiContext } from './implement.ts';

export interface Health extends Pick<ApiContext, 'store'> {
  /** Why this process does not accept traffic; null if it does. */
  readinessProblem(): string | null;
}

/**
 * Adds `/livez`, which reports that this process runs, and `/readyz`, which reports that it accepts traffic and
 * reaches the store.
 */
export function addHealthRoutes(app: FastifyInstance, { store, readinessProblem }: Health): void {
  app.get('/livez', { schema: { hide: true } }, async () => ({ code: 0, message: 'success', data: {} }));
  app.get('/readyz', { schema: { hide: true } }, async () => {
    const problem = readinessProblem() ?? (await storeProblem(store));
    if (problem !== null) throw new ApiError('unavailable', problem, {}, { 'retry-after': '2' });
    return { code: 0, message: 'success', data: {} };
  });
}

const storeProblem = (store: Health['store']): Promise<string | null> =>
  store.ping().then(
    () => null,
    () => 'the store is out of reach',
  );
