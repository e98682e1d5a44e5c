import { useEffect, useRef, useState } from 'react';
import type { Screen } from '../use-screen.ts';

/** `refused`: the service is there and does not let this link in. `ended`: with the close code that it said so with. */
export type WatchEnd = { why: 'ended'; code: number | null } | { why: 'refused' };

/** Connections in a row that do not open before the service is asked whether it is there at all. */
const FAILURES = 3;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Tells when there is nothing more to watch, and returns whether the service can be reached. A browser does not say why a
 * socket was refused, so the service is asked whether it is alive: then it is the link that is no good.
 */
export function useWatchEnd({ phase, endCode, failures }: Screen, onEnd: (end: WatchEnd) => void): boolean {
  const [isReachable, setReachable] = useState(true);
  const tell = useRef(onEnd);
  useEffect(() => {
    tell.current = onEnd;
  });
  useEffect(() => {
    if (phase === 'ended') tell.current({ why: 'ended', code: endCode });
  }, [phase, endCode]);
  useEffect(() => {
    if (failures < FAILURES) return setReachable(true);
    let current = true;
    void isServiceAlive().then((alive) => {
      if (!current) return;
      setReachable(alive);
      if (alive) tell.current({ why: 'refused' });
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
