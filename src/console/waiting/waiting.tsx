import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { BorrowBody } from '../../client/borrow.ts';
import type { Session } from '../../contract/http/session.ts';
import { useClient } from '../account/account.tsx';
import { navigate, routeOf } from '../router.tsx';
import { preloadSession } from '../session/preload-session.ts';
import { holdReload } from '../ui/reload-once.ts';
import { WaitingContext, type WaitingState } from './use-waiting.ts';

/** Holds the request for any phone across all pages. The request ends when the tab closes or the user signs out. */
export function WaitingForPhone({ children }: { children: ReactNode }) {
  const client = useClient();
  const cache = useQueryClient();
  const [state, setState] = useState<WaitingState>({ phase: 'none' });
  const leaving = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    leaving.current?.abort();
    leaving.current = null;
    setState({ phase: 'none' });
  }, []);
  const start = useCallback(
    (request: BorrowBody) => {
      leaving.current?.abort();
      const controller = new AbortController();
      leaving.current = controller;
      const { signal } = controller;
      const unlessLeft = (next: WaitingState) => {
        if (!signal.aborted) setState(next);
      };
      const arrive = (session: Session) => {
        if (signal.aborted) return;
        cache.setQueryData(['sessions', 'one', session.session_id], session);
        for (const subject of ['sessions', 'devices', 'usage']) {
          void cache.invalidateQueries({ queryKey: [subject] });
        }
        setState(goTo(session) ? { phase: 'none' } : { phase: 'ready', sessionId: session.session_id });
      };
      unlessLeft({ phase: 'waiting', queued: null });
      // If preloading fails, the page recovers when it needs the code.
      preloadSession().catch(() => {});
      client
        .borrow({ ...request, signal, onQueued: (queued) => unlessLeft({ phase: 'waiting', queued }) })
        .then(arrive, (error: unknown) => unlessLeft({ phase: 'failed', error }));
    },
    [client, cache],
  );
  useEffect(() => stop, [stop]);
  const isWaiting = state.phase === 'waiting';
  // A reload would lose the position in the queue.
  useEffect(() => (isWaiting ? holdReload() : undefined), [isWaiting]);
  const waiting = useMemo(() => ({ state, start, stop }), [state, start, stop]);
  return <WaitingContext value={waiting}>{children}</WaitingContext>;
}

/** Navigates to the session, unless the page currently shows a phone that is in use. Returns whether it navigated. */
function goTo({ session_id }: Session): boolean {
  const { page } = routeOf(location.pathname);
  if (page === 'session' || page === 'wall') return false;
  navigate(`/sessions/${session_id}`);
  return true;
}
