import { useMemo, useState } from 'react';
import type { RecordedLogLine } from '../../contract/recording/recording-event.ts';
import { filterLog, LOG_LEVELS, type LogLevel } from '../session/tools/log/log-filter.ts';
import { LOG_TONES } from '../session/tools/log/log-tones.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { toolTexts } from '../texts/tools.ts';
import { ListTab } from './list-tab.tsx';
import type { Playback } from './playback.ts';
import { formatPosition } from './timeline.ts';
import type { LinesState } from './use-lines.ts';

type NumberedLine = RecordedLogLine & { number: number };

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Returns a line of the log, or null if it has no time. */
export function readLogLine(value: unknown, number: number): NumberedLine | null {
  if (typeof value !== 'object' || value === null) return null;
  const { t, time, level, tag, message, app } = value as Partial<Record<keyof RecordedLogLine, unknown>>;
  if (typeof t !== 'number' || !Number.isFinite(t) || t < 0) return null;
  return {
    ...{ t, number, time: textOf(time), level: textOf(level), tag: textOf(tag), message: textOf(message) },
    ...(typeof app === 'string' && { app }),
  };
}

interface LogTabProps {
  state: LinesState<NumberedLine>;
  playback: Playback;
}

/** The log of the phone during the recording. */
export function LogTab({ state, playback }: LogTabProps) {
  const lines = useMemo(() => [...(state.lines?.items ?? [])].sort((a, b) => a.t - b.t), [state.lines]);
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<LogLevel>('V');
  const found = useMemo(() => filterLog(lines, { text: search, level, app: '' }), [lines, search, level]);
  return (
    <ListTab
      label={text.tabs.log}
      state={state}
      items={lines}
      found={found}
      search={search}
      onSearch={setSearch}
      choice={{
        label: text.level,
        value: level,
        options: LOG_LEVELS.map((choice) => [choice, toolTexts.log.levels[choice]] as const),
        onChange: (choice) => setLevel(choice as LogLevel),
      }}
      missing={text.noLog}
      empty={text.emptyLog}
      playback={playback}
      rowHeight={24}
    >
      {(line) => <Row line={line} />}
    </ListTab>
  );
}

/** Longest message that the list shows. The file has all of it. */
const MAX_SHOWN = 2_000;

function Row({ line: { t, level, tag, message, app } }: { line: RecordedLogLine }) {
  return (
    <p
      title={app}
      className={`px-3 py-0.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap ${LOG_TONES[level] ?? ''}`}
    >
      <span className="text-soft tabular-nums">{formatPosition(t)}</span> {level}{' '}
      <span className="font-semibold">{tag}</span> {message.slice(0, MAX_SHOWN)}
    </p>
  );
}
