import { ERRORS } from '../contract/http/errors.ts';
import type { OperationTypes } from '../contract/http/operations.ts';
import { QUEUED_EVERY_MS, type Queued } from '../contract/http/queue.ts';
import type { Session } from '../contract/http/session.ts';
import { EventReader, eventsOf, pause, type StreamedEvent } from './event-stream.ts';
import { Backoff } from './reconnect.ts';
import { newIdempotencyKey } from './request.ts';
import { isOutage } from './retry.ts';
import { ServiceError } from './service-error.ts';

export type BorrowBody = OperationTypes['sessions.borrow']['body'];

export interface BorrowOptions extends BorrowBody {
  /** Called with the position of the request while it waits. */
  onQueued?: (queued: Queued) => void;
  /** Stops waiting. A session that was created in the meantime is ended. */
  signal?: AbortSignal;
  /** A repeat with the same key returns the session of the first request instead of creating a second one. */
  idempotencyKey?: string;
}

const SILENCE_MS = 4 * QUEUED_EVERY_MS;

/**
 * Borrows any phone that matches, and receives the queue position as an event stream, so that no proxy closes the
 * connection as idle. The client reconnects after a lost connection while there is time left. After a restart of the
 * service the request keeps its place in the queue; a repeat never borrows a second phone.
 * @throws ServiceError; the signal's reason when it is aborted
 */
export async function borrow(
  open: (body: BorrowBody, idempotencyKey: string) => Promise<Response>,
  { onQueued, signal, idempotencyKey = newIdempotencyKey(), ...body }: BorrowOptions,
): Promise<Session> {
  const backoff = new Backoff();
  const until = performance.now() + (body.wait ?? 0) * 1000;
  for (;;) {
    const left = Math.ceil((until - performance.now()) / 1000);
    try {
      const response = await open({ ...body, wait: Math.max(0, left) }, idempotencyKey);
      return await sessionOf(response, onQueued);
    } catch (error) {
      signal?.throwIfAborted();
      // A borrow request that exceeds a rate limit is not repeated.
      if (!(error instanceof ServiceError) || !isOutage(error) || left <= 0) throw error;
    }
    await pause(backoff.next(0), signal);
    signal?.throwIfAborted();
  }
}

async function sessionOf(response: Response, onQueued: BorrowOptions['onQueued']): Promise<Session> {
  let cause: unknown;
  try {
    for await (const event of eventsOf(response, new EventReader(), SILENCE_MS)) {
      if (event.event === 'queued') onQueued?.(JSON.parse(event.data));
      if (event.event === 'session') return JSON.parse(event.data);
      if (event.event === 'error') throw failureIn(event);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    cause = error;
  }
  throw new ServiceError(
    'the connection was lost while the request was waiting in the queue; try again',
    0,
    0,
    {},
    { cause },
  );
}

function failureIn({ data }: StreamedEvent): ServiceError {
  const { code, message, data: more } = JSON.parse(data);
  const status = Object.values(ERRORS).find((error) => error.code === code)?.status ?? 500;
  return new ServiceError(message, code, status, more);
}
