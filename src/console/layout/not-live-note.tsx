import { useEffect, useState } from 'react';
import { useLiveState } from '../data/live-updates.tsx';
import { texts } from '../texts.ts';

/** A connection that is made again within this time is not worth a word. */
const PATIENCE_MS = 2_000;

/** Says that what is seen may be some seconds old, as long as it may be. */
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
