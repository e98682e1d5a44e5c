import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiContext } from './implement.ts';

/** `/livez`: this process runs. `/readyz`: it can do its work now, the store being in reach. */
export function addHealthRoutes(app: FastifyInstance, { store }: Pick<ApiContext, 'store'>): void {
  app.get('/livez', { schema: { hide: true } }, async () => ({ code: 0, message: 'success', data: {} }));
  app.get('/readyz', { schema: { hide: true } }, async () => {
    try {
      await store.ping();
    } catch {
      throw new ApiError('unavailable', 'the store is out of reach', {}, { 'retry-after': '2' });
    }
    return { code: 0, message: 'success', data: {} };
  });
}
