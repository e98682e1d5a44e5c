import { EVENT_HEARTBEAT_MS, EVENTS, type ServiceEvent } from '../contract/events/event.ts';
import { EventReader, eventsOf, pause } from './event-stream.ts';
import { Backoff } from './reconnect.ts';
import { ServiceError } from './service-error.ts';

export interface ListenOptions {
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** The `id` of the last event that was processed before. The stream continues after that event. */
  lastEventId?: string;
  /**
   * Called with true when a connection is established, after which no event is missed, and with false when it is lost
   * or cannot be established.
   */
  onConnected?: (isConnected: boolean) => void;
}

/** `id` is the value to pass as `lastEventId` to a later `listen`. */
export type ReceivedEvent = ServiceEvent & { id: string | null };

/** Longest silence of a stream, which allows for two lost heartbeats. */
const SILENCE_MS = 3 * EVENT_HEARTBEAT_MS;

/**
 * Yields the events of the service while it is iterated over. After a lost connection it reconnects and continues
 * after the last event. No event is missed unless a `reset` event reports it.
 * @param open requests the stream after this event id
 * @throws ServiceError when the service rejects the request permanently, for example because the key was revoked
 */
export async function* listen(
  open: (lastEventId: string | null, signal: AbortSignal) => Promise<Response>,
  { signal, lastEventId, onConnected }: ListenOptions,
): AsyncGenerator<ReceivedEvent> {
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

const isKnown = (name: string): name is ServiceEvent['event'] => Object.hasOwn(EVENTS, name);

const toServiceEvent = (event: ServiceEvent['event'], data: string, id: string | null) =>
  ({ event, data: JSON.parse(data), id }) as ReceivedEvent;

/** Whether the same request would fail again. */
const isFinal = ({ status }: ServiceError) => status >= 400 && status < 500 && status !== 429;
