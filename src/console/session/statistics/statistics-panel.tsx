import { useEffect, useState } from 'react';
import { CloseIcon } from '../../icons.tsx';
import { texts } from '../../texts.ts';
import type { Control } from '../use-control.ts';
import type { Screen } from '../use-screen.ts';
import type { PlayerReading } from '../video/screen-player.ts';

const text = texts.statistics;
/** Refresh interval, limited by how fast a person can read. */
const READ_MS = 500;

interface StatisticsPanelProps {
  screen: Screen;
  control: Control;
  onClose(): void;
}

/** Shows the current measurements of the stream and of the connection to the phone. */
export function StatisticsPanel({ screen: { player, size }, control, onClose }: StatisticsPanelProps) {
  const [reading, setReading] = useState<PlayerReading | null>(null);
  const [roundTrip, setRoundTrip] = useState<number | null>(null);
  const { roundTripMs } = control;
  useEffect(() => {
    if (!player) return;
    const read = () => {
      setReading(player.read());
      setRoundTrip(roundTripMs());
    };
    const timer = setInterval(read, READ_MS);
    return () => clearInterval(timer);
  }, [player, roundTripMs]);
  const rows = reading ? rowsOf(reading) : [];
  return (
    <section
      aria-label={text.title}
      aria-live="off"
      className="appear w-72 rounded-xl border border-line bg-panel/90 p-3 text-xs shadow-lift"
    >
      <div className="mb-1.5 flex items-center justify-between">
        <h2 className="font-semibold">{text.title}</h2>
        <button
          type="button"
          aria-label={text.close}
          onClick={onClose}
          className="pointer-events-auto -m-1.5 grid size-control-sm place-items-center rounded-md text-soft hover:text-ink"
        >
          <CloseIcon className="size-4" />
        </button>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 tabular-nums">
        {rows.map(([name, value]) => (
          <Row key={name} name={name} value={value} />
        ))}
        <Row
          name={text.roundTrip}
          value={roundTrip === null ? text.unknown : text.milliseconds(Math.round(roundTrip))}
        />
        <Row name={text.size} value={size ? text.sizeValue(size.width, size.height) : text.unknown} />
      </dl>
    </section>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="contents">
      <dt className="text-soft">{name}</dt>
      <dd className="text-right font-medium whitespace-nowrap">{value}</dd>
    </div>
  );
}

function rowsOf(reading: PlayerReading): [string, string][] {
  const { last, median } = reading.touch;
  const touch =
    last === null || median === null ? text.touchNone : text.touchValue(Math.round(last), Math.round(median));
  return [
    [text.fps, text.fpsValue(Math.round(reading.drawnFps), Math.round(reading.receivedFps))],
    [text.bitRate, text.bitRateValue(reading.bitsPerSecond)],
    [text.touch, touch],
    [text.waiting, String(reading.waiting)],
    [text.dropped, text.droppedValue(reading.droppedGroups)],
  ];
}
