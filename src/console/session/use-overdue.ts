import { useEffect, useState } from 'react';

const CHECK_MS = 1_000;

/**
 * Whether a polled query was last answered more than `afterMs` milliseconds ago. `updatedAt` is in milliseconds of
 * this machine's clock. Time while the page is hidden does not count, because nothing is polled then.
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
