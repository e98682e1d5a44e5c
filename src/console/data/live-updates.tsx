import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { useClient } from '../account/account.tsx';
import { EventIntake } from './event-intake.ts';

/** Of the stream of events: about to be opened for the first time, open, or lost and being opened again. */
export type LiveState = 'opening' | 'live' | 'away';

const LiveContext = createContext<LiveState>('opening');

export const useLiveState = (): LiveState => use(LiveContext);

/** Whether changes come by themselves. Whoever shows what changes asks for it again and again only while they do not. */
export const useIsLive = (): boolean => useLiveState() === 'live';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * One stream of events for all pages of this tab. A hidden tab has none: a browser opens six connections at most to an
 * origin that speaks HTTP/1.1, over all its tabs.
 */
export function LiveUpdates({ children }: { children: ReactNode }) {
  const client = useClient();
  const cache = useQueryClient();
  const isSeen = useSyncExternalStore(subscribe, () => !document.hidden);
  const [state, setState] = useState<LiveState>('opening');
  useEffect(() => {
    if (!isSeen) return;
    const intake = new EventIntake(cache);
    const leaving = new AbortController();
    const { signal } = leaving;
    const onConnected = (isConnected: boolean) => {
      if (signal.aborted) return;
      setState(isConnected ? 'live' : 'away');
      // What was read before may be older than what the stream begins with.
      if (isConnected) intake.readAllAgain();
    };
    const follow = async () => {
      for await (const event of client.events({ signal, onConnected })) intake.take(event);
    };
    // Refused for good: what is asked for instead says why, or signs out.
    follow().catch(() => onConnected(false));
    return () => {
      leaving.abort();
      intake.close();
      setState('opening');
    };
  }, [client, cache, isSeen]);
  return <LiveContext value={state}>{children}</LiveContext>;
}
