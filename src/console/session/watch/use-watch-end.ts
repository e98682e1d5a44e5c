import { useEffect, useRef, useState } from 'react';
import type { Screen } from '../use-screen.ts';

/** `refused`: the service is reachable but rejects this link. `ended`: the stream ended, with its close code. */
export type WatchEnd = { why: 'ended'; code: number | null } | { why: 'refused' };

/** Number of consecutive connections without a packet after which the page checks whether the service is reachable. */
const FAILURES = 3;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Reports when the stream has ended for good, and returns whether the service is reachable. A browser does not report
 * why a socket was rejected, so the page checks whether the service is alive. If it is, the link is not valid.
 */
export function useWatchEnd({ phase, endCode, failures }: Screen, onEnd: (end: WatchEnd) => void): boolean {
  const [isReachable, setReachable] = useState(true);
  const onEndRef = useRef(onEnd);
  useEffect(() => {
    onEndRef.current = onEnd;
  });
  useEffect(() => {
    if (phase === 'ended') onEndRef.current({ why: 'ended', code: endCode });
  }, [phase, endCode]);
  useEffect(() => {
    if (failures < FAILURES) return setReachable(true);
    let current = true;
    void isServiceAlive().then((alive) => {
      if (!current) return;
      setReachable(alive);
      if (alive) onEndRef.current({ why: 'refused' });
    });
    return () => {
      current = false;
    };
  }, [failures]);
  return isReachable;
}

async function isServiceAlive(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    return (await fetch('/livez', { cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}
