import { type PointerEvent, useMemo, useState } from 'react';
import { replayTexts as text } from '../texts/replay.ts';
import type { Playback } from './playback.ts';
import type { Happenings } from './replay-entries.ts';
import {
  PLACES,
  pathOf,
  TICK_KINDS,
  type Tick,
  type TickKind,
  ticksNear,
  ticksOf,
} from './scrubber-ticks.ts';
import { formatPosition, gapAt, type Timeline } from './timeline.ts';
import { usePosition } from './use-playback.ts';

/** The pointer catches a tick within this distance. */
const CATCH_PX = 6;
const MAX_LABELS = 4;
const TONES: Record<TickKind, string> = {
  rotation: 'text-soft',
  screenshot: 'text-soft',
  app: 'text-good',
  control: 'text-warn',
  mark: 'text-focus',
  error: 'text-bad',
};

interface ScrubberProps {
  timeline: Timeline;
  playback: Playback;
  happenings: Happenings;
}

interface Hover {
  /** Position of the pointer as a share of the timeline. */
  share: number;
  time: number;
  ticks: readonly Tick[];
}

/**
 * The timeline of the recording with a handle. Its arrow keys, Home and End are those of the whole page. The ticks are
 * for the pointer: the list of commands has the same for the keyboard.
 */
export function Scrubber({ timeline, playback, happenings }: ScrubberProps) {
  const { duration } = timeline;
  const ticks = useMemo(() => ticksOf(happenings.entries), [happenings]);
  const [hover, setHover] = useState<Hover | null>(null);
  const seconds = usePosition(playback, (time) => Math.floor(time / 1000));
  const hoverAt = ({ clientX, currentTarget }: PointerEvent): Hover => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
    const time = share * duration;
    return {
      share,
      time,
      ticks: ticksNear(ticks, time, (CATCH_PX / Math.max(1, width)) * duration, MAX_LABELS),
    };
  };
  const drag = (event: PointerEvent) => {
    const next = hoverAt(event);
    setHover(next);
    if (event.currentTarget.hasPointerCapture(event.pointerId)) playback.seek(next.time);
  };
  return (
    <div className="relative">
      <div
        role="slider"
        tabIndex={0}
        aria-label={text.position}
        aria-valuemin={0}
        aria-valuemax={Math.floor(duration / 1000)}
        aria-valuenow={seconds}
        aria-valuetext={text.positionValue(formatPosition(seconds * 1000), formatPosition(duration))}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const { time, ticks: caught } = hoverAt(event);
          playback.seek(caught[0]?.t ?? time);
        }}
        onPointerMove={drag}
        onPointerLeave={() => setHover(null)}
        className="relative h-8 cursor-pointer touch-none rounded-md outline-offset-1"
      >
        <Track timeline={timeline} playback={playback} />
        <Ticks ticks={ticks} happenings={happenings} duration={duration} />
      </div>
      {hover && <Bubble hover={hover} timeline={timeline} />}
    </div>
  );
}

const percent = (share: number) => `${share * 100}%`;

function Track({ timeline: { gaps, duration }, playback }: { timeline: Timeline; playback: Playback }) {
  const place = usePosition(playback, (time) => Math.round((time / Math.max(1, duration)) * PLACES * 4));
  const left = percent(place / PLACES / 4);
  return (
    <>
      <span className="absolute inset-x-0 top-3.5 h-1.5 overflow-hidden rounded-full bg-line forced-colors:border">
        <span
          className="absolute inset-y-0 left-0 bg-strong forced-colors:bg-[Highlight]"
          style={{ width: left }}
        />
        {gaps.map(({ start, end }) => (
          <span
            key={start}
            className="absolute inset-y-0 bg-panel [background-image:repeating-linear-gradient(45deg,var(--edge)_0_2px,transparent_2px_5px)] forced-colors:bg-[GrayText]"
            style={{ left: percent(start / duration), width: percent((end - start) / duration) }}
          />
        ))}
      </span>
      <span
        className="absolute top-2.25 z-raised -ml-2 size-4 rounded-full border-2 border-panel bg-strong shadow-card forced-colors:bg-[Highlight]"
        style={{ left }}
      />
    </>
  );
}

interface TicksProps {
  ticks: readonly Tick[];
  happenings: Happenings;
  duration: number;
}

/** Ticks above the track, and the touches below it. */
function Ticks({ ticks, happenings: { strokes }, duration }: TicksProps) {
  const paths = useMemo(
    () =>
      TICK_KINDS.map((kind) => {
        const times = ticks.filter((tick) => tick.kind === kind).map(({ t }) => t);
        return [kind, pathOf(times, duration, [0, 10])] as const;
      }),
    [ticks, duration],
  );
  const touches = useMemo(
    () =>
      pathOf(
        strokes.map(({ t }) => t),
        duration,
        [24, 29],
      ),
    [strokes, duration],
  );
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${PLACES} 32`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
    >
      <path
        d={touches}
        className="fill-none stroke-edge"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
      {paths.map(([kind, path]) => (
        <path
          key={kind}
          data-ticks={kind}
          d={path}
          className={`fill-none stroke-current ${TONES[kind]}`}
          strokeWidth={2.5}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

/** The time under the pointer, and what happened there. */
function Bubble({ hover: { share, time, ticks }, timeline }: { hover: Hover; timeline: Timeline }) {
  return (
    <div
      role="tooltip"
      className="pointer-events-none absolute bottom-full z-tooltip mb-1 w-max max-w-64 rounded-md bg-strong px-2.5 py-1.5 text-xs text-on-strong shadow-lift forced-colors:border"
      // Stays within the width of the timeline.
      style={{ left: percent(share), transform: `translateX(-${share * 100}%)` }}
    >
      <p className="font-medium tabular-nums">
        {formatPosition(ticks[0]?.t ?? time)}
        {gapAt(timeline, time) && <span className="ml-2 font-normal">{text.gapShort}</span>}
      </p>
      {ticks.map(({ label }) => (
        <p key={label} className="line-clamp-2 break-words">
          {label}
        </p>
      ))}
    </div>
  );
}
