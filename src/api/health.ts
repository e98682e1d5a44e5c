import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiContext } from './implement.ts';

export interface Health extends Pick<ApiContext, 'store'> {
  /** Why this process does not want traffic; null: it does. */
  readinessProblem(): string | null;
}

/** `/livez`: this process runs. `/readyz`: it wants traffic and can serve it, the store being in reach. */
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
