import { useEffect, useState } from 'react';
import { texts } from '../../texts.ts';
import { formatTimeLeft } from '../time-left.ts';
import type { Recording } from './use-recording.ts';

const text = texts.recording;

/** Says that a recording runs, and for how long. */
export function RecordingSign({ recording: { phase, since } }: { recording: Recording }) {
  const seconds = useSecondsSince(since);
  if (phase === 'off') return null;
  const words = {
    starting: text.starting,
    recording: text.running(formatTimeLeft(seconds * 1000)),
    saving: text.saving,
  };
  return (
    <p
      aria-live="off"
      className="appear pointer-events-none absolute top-2 left-1/2 z-10 flex -translate-x-1/2 items-center gap-2 rounded-full bg-strong px-3 py-1 text-sm font-medium whitespace-nowrap text-on-strong tabular-nums shadow-lift"
    >
      <span aria-hidden="true" className="breathe size-2.5 rounded-full bg-[#e5402a]" />
      {words[phase]}
    </p>
  );
}

/** Whole seconds since a moment of `performance.now()`, while there is one. */
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
