import { useEffect, useState } from 'react';

const CHECK_MS = 1_000;

/**
 * Whether what is asked for all the time was last answered longer ago than this, both in milliseconds, `updatedAt` by this
 * machine's clock. Time in which the page was not in front does not count: nothing is asked for then.
 */
export function useOverdue(updatedAt: number, afterMs: number): boolean {
  const [overdue, setOverdue] = useState(false);
  useEffect(() => {
    let frontSince = Date.now();
    const check = () => {
      const isInFront = document.visibilityState === 'visible';
      setOverdue(isInFront && Date.now() - Math.max(updatedAt, frontSince) > afterMs);
    };
    const turned = () => {
      frontSince = Date.now();
      check();
    };
    check();
    const timer = setInterval(check, CHECK_MS);
    document.addEventListener('visibilitychange', turned);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', turned);
    };
  }, [updatedAt, afterMs]);
  return overdue;
}
