import { useMemo, useState } from 'react';
import { replayTexts as text } from '../texts/replay.ts';
import { ListTab } from './list-tab.tsx';
import type { Playback } from './playback.ts';
import { ENTRY_KINDS, type EntryFilter, filterEntries, type ReplayEntry } from './replay-entries.ts';
import { formatPosition } from './timeline.ts';
import type { LinesState } from './use-lines.ts';

const KINDS = ['', ...ENTRY_KINDS, 'error'] as const;

interface CommandsTabProps {
  state: LinesState<unknown>;
  entries: readonly ReplayEntry[];
  playback: Playback;
}

/** What happened during the recording. */
export function CommandsTab({ state, entries, playback }: CommandsTabProps) {
  const [filter, setFilter] = useState<EntryFilter>({ text: '', kind: '' });
  const found = useMemo(() => filterEntries(entries, filter), [entries, filter]);
  return (
    <ListTab
      label={text.tabs.commands}
      state={state}
      items={entries}
      found={found}
      search={filter.text}
      onSearch={(search) => setFilter({ ...filter, text: search })}
      choice={{
        label: text.kind,
        value: filter.kind,
        options: KINDS.map((kind) => [kind, text.kinds[kind]] as const),
        onChange: (kind) => setFilter({ ...filter, kind: kind as EntryFilter['kind'] }),
      }}
      missing={text.noEvents}
      empty={text.noCommands}
      playback={playback}
      rowHeight={48}
    >
      {(entry) => <Row entry={entry} />}
    </ListTab>
  );
}

/** Kinds whose title is a name in a program. */
const CODE: ReadonlySet<string> = new Set(['command', 'webdriver']);

function Row({ entry: { t, kind, title, detail, error } }: { entry: ReplayEntry }) {
  return (
    <div className="flex gap-3 px-3 py-1.5 text-sm">
      <span className="w-11 shrink-0 pt-0.5 text-right text-xs text-soft tabular-nums">
        {formatPosition(t)}
      </span>
      <div className="min-w-0 grow">
        <p className="flex items-baseline justify-between gap-3">
          <span className={`min-w-0 break-words ${CODE.has(kind) ? 'font-mono text-xs' : ''} font-medium`}>
            {title}
          </span>
          <span className="shrink-0 text-xs text-soft">{text.kindOf[kind]}</span>
        </p>
        {detail && <p className="line-clamp-2 text-xs wrap-anywhere text-soft">{detail}</p>}
        {error && <p className="text-xs break-words text-bad">{error}</p>}
      </div>
    </div>
  );
}
