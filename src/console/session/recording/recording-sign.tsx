import { texts } from '../../texts.ts';
import { formatTimeLeft } from '../time-left.ts';
import { useSecondsSince } from '../use-seconds-since.ts';
import type { Recording } from './use-recording.ts';

const text = texts.recording;

/** Shows that a recording is running, and its duration. */
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
      className="appear flex items-center gap-2 rounded-full bg-strong px-3 py-1 text-sm font-medium whitespace-nowrap text-on-strong tabular-nums shadow-lift"
    >
      <span aria-hidden="true" className="breathe size-2.5 rounded-full bg-[#e5402a]" />
      {words[phase]}
    </p>
  );
}
