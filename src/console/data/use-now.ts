import { useEffect, useState } from 'react';
import { useClient } from '../account/account.tsx';

/**
 * The service's time in milliseconds, once a second. This machine's clock may be minutes off, and a countdown that is
 * off by minutes is worse than none.
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
