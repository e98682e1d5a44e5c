import type { IncomingMessage } from 'node:http';
import { addressOf } from '../api/address.ts';
import type { RequestLimits } from '../api/limits/request-limits.ts';
import { ApiError } from '../contract/http/errors.ts';
import { rejectUpgrade, sendError } from './send-envelope.ts';
import type { WebHandlers } from './web-server.ts';

/**
 * The probes are exempt: an orchestrator whose probe is rejected would restart a healthy process. They cost almost
 * nothing.
 */
const PROBES = new Set(['/livez', '/readyz']);

/**
 * Enforces the rate limit by address for everything that a process serves: operations, documents, files, unknown
 * routes, `/metrics` and WebSocket upgrades.
 */
export class AddressLimit {
  /** Number of requests rejected so far. */
  refused = 0;
  private readonly limits: Pick<RequestLimits, 'admitAddress'>;
  private readonly ipOf: (request: IncomingMessage) => string;

  constructor(limits: Pick<RequestLimits, 'admitAddress'>, ipOf: (request: IncomingMessage) => string) {
    this.limits = limits;
    this.ipOf = ipOf;
  }

  request(next: WebHandlers['request']): WebHandlers['request'] {
    return (request, response) => {
      const refusal = this.refusalOf(request);
      if (refusal) sendError(response, refusal);
      else next(request, response);
    };
  }

  upgrade(next: WebHandlers['upgrade']): WebHandlers['upgrade'] {
    return (request, socket, head) => {
      const refusal = this.refusalOf(request);
      if (refusal) rejectUpgrade(socket, refusal);
      else next(request, socket, head);
    };
  }

  private refusalOf(request: IncomingMessage): ApiError | null {
    if (PROBES.has(request.url ?? '')) return null;
    try {
      this.limits.admitAddress(addressOf({ ip: this.ipOf(request), headers: request.headers }));
      return null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refused += 1;
      return error;
    }
  }
}
