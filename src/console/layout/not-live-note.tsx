import { useEffect, useState } from 'react';
import { useLiveState } from '../data/live-updates.tsx';
import { texts } from '../texts.ts';

/** A connection that is restored within this time is not reported to the user. */
const PATIENCE_MS = 2_000;

/** Shows that the data may be some seconds old while the event stream is disconnected. */
export function NotLiveNote() {
  const isAway = useLiveState() === 'away';
  const [isSaid, setIsSaid] = useState(false);
  useEffect(() => {
    if (!isAway) return;
    const timer = setTimeout(() => setIsSaid(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setIsSaid(false);
    };
  }, [isAway]);
  return (
    <p role="status" className="bg-warn-tint px-4 py-2 text-center text-sm text-warn empty:hidden">
      {isSaid && texts.connection.notLive}
    </p>
  );
}
