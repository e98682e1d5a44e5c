import { useEffect, useState } from 'react';
import { useClient } from '../account/account.tsx';

/**
 * Returns the service's time in milliseconds, updated once per second. The clock of this machine may be off by
 * minutes, which would make a countdown useless.
 */
export function useNow(): number {
  const client = useClient();
  const read = () => Date.now() + client.clockOffsetMs;
  const [now, setNow] = useState(read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` differs each time and always reads the same
  useEffect(() => {
    const timer = setInterval(() => setNow(read()), 1_000);
    return () => clearInterval(timer);
  }, [client]);
  return now;
}
