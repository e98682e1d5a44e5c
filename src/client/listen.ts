import { EVENT_HEARTBEAT_MS, type ServiceEvent } from '../contract/event.ts';
import { EventReader, eventsOf, pause } from './event-stream.ts';
import { Backoff } from './reconnect.ts';
import { ServiceError } from './service-error.ts';

export interface ListenOptions {
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** The `id` of the last event that was taken in before: it goes on behind that. */
  lastEventId?: string;
  /** Told when a connection is made, from where nothing is missed, and when it is lost or cannot be made. */
  onConnected?: (isConnected: boolean) => void;
}

/** `id` is what a later `listen` goes on from. */
export type HeardEvent = ServiceEvent & { id: string | null };

/** Two heartbeats may be lost on the way. */
const SILENCE_MS = 3 * EVENT_HEARTBEAT_MS;

/**
 * What changes, for as long as it is iterated over. A connection that is lost is made again, and goes on where it ended;
 * nothing is left out unless a `reset` says so.
 * @param open asks for the stream, from behind this id
 * @throws ServiceError when the service refuses for good, such as a key that was revoked
 */
export async function* listen(
  open: (lastEventId: string | null, signal: AbortSignal) => Promise<Response>,
  { signal, lastEventId, onConnected }: ListenOptions,
): AsyncGenerator<HeardEvent> {
  const backoff = new Backoff();
  let reader = new EventReader(lastEventId ?? null);
  while (!signal?.aborted) {
    const left = new AbortController();
    let openedAt: number | null = null;
    try {
      const response = await open(
        reader.lastEventId,
        signal ? AbortSignal.any([signal, left.signal]) : left.signal,
      );
      openedAt = performance.now();
      onConnected?.(true);
      reader = new EventReader(reader.lastEventId);
      for await (const event of eventsOf(response, reader, SILENCE_MS)) {
        if (isKnown(event.event)) yield toServiceEvent(event.event, event.data, event.lastEventId);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ServiceError && isFinal(error)) throw error;
    } finally {
      left.abort();
    }
    onConnected?.(false);
    await pause(backoff.next(openedAt === null ? 0 : performance.now() - openedAt), signal);
  }
}

const KNOWN: Record<ServiceEvent['event'], true> = {
  'device.changed': true,
  'device.removed': true,
  'session.changed': true,
  reset: true,
};

const isKnown = (name: string): name is ServiceEvent['event'] => Object.hasOwn(KNOWN, name);

const toServiceEvent = (event: ServiceEvent['event'], data: string, id: string | null) =>
  ({ event, data: JSON.parse(data), id }) as HeardEvent;

/** Whether the same again would be refused again. */
const isFinal = ({ status }: ServiceError) => status >= 400 && status < 500 && status !== 429;
