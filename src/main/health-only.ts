import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type ErrorName } from '../contract/errors.ts';
import type { Store } from '../store/store.ts';

/** What a gateway without the API answers to plain requests: `/livez` and `/readyz`, as the API has them. */
export function healthOnly(store: Pick<Store, 'ping'>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') return send(response, 200, 0, 'success');
    if (path !== '/readyz') return fail(response, 'routeNotFound', 'this process serves sockets only');
    try {
      await store.ping();
      send(response, 200, 0, 'success');
    } catch {
      response.setHeader('retry-after', '2');
      fail(response, 'unavailable', 'the store is out of reach');
    }
  };
}

function fail(response: ServerResponse, name: ErrorName, message: string): void {
  send(response, ERRORS[name].status, ERRORS[name].code, message);
}

function send(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ code, message, data: {} }));
}
