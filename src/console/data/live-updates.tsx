import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { useClient, useStreamGate } from '../account/account.tsx';
import { EventIntake } from './event-intake.ts';

/** State of the event stream: being opened for the first time, open, or lost and reconnecting. */
export type LiveState = 'opening' | 'live' | 'away';

const LiveContext = createContext<LiveState>('opening');

export const useLiveState = (): LiveState => use(LiveContext);

/** Whether events deliver changes. Components poll only while they do not. */
export const useIsLive = (): boolean => useLiveState() === 'live';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * One event stream for all pages of this tab. A hidden tab has no stream, because a browser opens at most six
 * connections to an HTTP/1.1 origin across all its tabs.
 */
export function LiveUpdates({ children }: { children: ReactNode }) {
  const client = useClient();
  const gate = useStreamGate();
  const cache = useQueryClient();
  const isSeen = useSyncExternalStore(subscribe, () => !document.hidden);
  const [state, setState] = useState<LiveState>('opening');
  useEffect(() => {
    if (!isSeen) {
      gate.open();
      return;
    }
    const intake = new EventIntake(cache);
    const leaving = new AbortController();
    const { signal } = leaving;
    const onConnected = (isConnected: boolean) => {
      if (signal.aborted) return;
      setState(isConnected ? 'live' : 'away');
      const hasFetched = gate.open();
      // Data fetched earlier may be older than the start of the stream.
      if (isConnected && hasFetched) intake.readAllAgain();
    };
    const follow = async () => {
      for await (const event of client.events({ signal, onConnected })) intake.take(event);
    };
    // The service rejected the stream permanently. Polling starts instead, and its requests show the reason or sign
    // the user out.
    follow().catch(() => onConnected(false));
    return () => {
      leaving.abort();
      intake.close();
      setState('opening');
    };
  }, [client, gate, cache, isSeen]);
  return <LiveContext value={state}>{children}</LiveContext>;
}
