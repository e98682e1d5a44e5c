import { useEffect, useState } from 'react';
import type { Control } from '../use-control.ts';

const PING_MS = 2_000;

/**
 * Returns the round-trip time of a command to the service in milliseconds, measured every two seconds. Null if the
 * command fails, and while the phone is not ready.
 */
export function useRoundTrip({ state, call }: Control): number | null {
  const [roundTrip, setRoundTrip] = useState<number | null>(null);
  const isReady = state.phase === 'ready';
  useEffect(() => {
    if (!isReady) return;
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ping = async () => {
      const sentAt = performance.now();
      const answered = await call('session.ping', {}).then(
        () => true,
        () => false,
      );
      if (!current) return;
      setRoundTrip(answered ? Math.round(performance.now() - sentAt) : null);
      timer = setTimeout(() => void ping(), PING_MS);
    };
    void ping();
    return () => {
      current = false;
      clearTimeout(timer);
      setRoundTrip(null);
    };
  }, [isReady, call]);
  return roundTrip;
}
