import { useEffect, useState } from 'react';
import { useLiveState } from '../data/live-updates.tsx';
import { texts } from '../texts.ts';

/** A connection that is restored within this time is not reported to the user. */
const SHOW_AFTER_MS = 2_000;

/** Shows that the data may be some seconds old while the event stream is disconnected. */
export function NotLiveNote() {
  const isDisconnected = useLiveState() === 'away';
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (!isDisconnected) return;
    const timer = setTimeout(() => setIsShown(true), SHOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setIsShown(false);
    };
  }, [isDisconnected]);
  return (
    <p role="status" className="bg-warn-tint px-4 py-2 text-center text-sm text-warn empty:hidden">
      {isShown && texts.connection.notLive}
    </p>
  );
}
