import { useEffect, useState } from 'react';

/** Returns the whole seconds since a time of `performance.now()`, updated every second, or 0 if `since` is null. */
export function useSecondsSince(since: number | null): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (since === null) return;
    const tick = () => setNow(performance.now());
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [since]);
  return since === null ? 0 : Math.max(0, Math.floor((now - since) / 1000));
}
