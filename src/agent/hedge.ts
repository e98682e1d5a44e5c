import type { Bus } from '../bus/bus.ts';
import type { BusRequests } from '../bus/messages.ts';

const TIMEOUT_MS = 5_000;
/**
 * Short enough that the control plane receives a report within 10 s, even if several requests in a row reach the hung
 * one of two api processes.
 */
const REPEAT_MS = 1_000;

/** Sends a request of this host to the control plane, hedged. */
export const requestHedged = <R extends 'control-plane.report' | 'control-plane.ended'>(
  bus: Bus,
  name: R,
  hostId: string,
  request: BusRequests[R]['request'],
): Promise<BusRequests[R]['response']> =>
  hedge(() => bus.request(name, hostId, request, { timeoutMs: TIMEOUT_MS }), REPEAT_MS);

/**
 * Sends a request, and sends it again every `everyMs` until there is an answer. Several processes serve a request,
 * and the one that received it may hang while the next one works. The first outcome counts: an answer, or the failure
 * of the first request, which is the deadline. Use this only for requests that are safe to repeat.
 */
export async function hedge<T>(ask: () => Promise<T>, everyMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const once = () => void ask().then(resolve, reject);
  const timer = setInterval(once, everyMs);
  once();
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
