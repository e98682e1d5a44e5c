import { useMemo, useState, useSyncExternalStore } from 'react';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { FIELD, Select } from '../../../ui/select.tsx';
import type { LogFeed, LogLine } from './log-feed.ts';
import { filterLog, LOG_LEVELS, type LogLevel } from './log-filter.ts';
import { LogLines } from './log-lines.tsx';

const text = texts.tools.log;

/**
 * Shows the phone's log. While it is paused the view does not change, but the feed still collects lines up to its
 * limit.
 */
export function LogTool({ log }: { log: LogFeed }) {
  const newest = useSyncExternalStore(log.subscribe, log.list);
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<LogLevel>('V');
  const [frozen, setFrozen] = useState<readonly LogLine[] | null>(null);
  const lines = frozen ?? newest;
  const found = useMemo(() => filterLog(lines, { text: search, level }), [lines, search, level]);
  const newSince = frozen ? (newest.at(-1)?.number ?? -1) - (frozen.at(-1)?.number ?? -1) : 0;
  const clear = () => {
    log.clear();
    if (frozen) setFrozen([]);
  };
  return (
    <>
      <div className="shrink-0 space-y-2 border-b border-line p-3">
        <div className="flex gap-2">
          <input
            type="search"
            aria-label={text.search}
            placeholder={text.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className={`${FIELD} min-w-0 grow px-3 placeholder:text-soft`}
          />
          <Select
            label={text.level}
            value={level}
            options={LOG_LEVELS.map((choice) => [choice, text.levels[choice]] as const)}
            onChange={(choice) => setLevel(choice as LogLevel)}
            className="w-32 shrink-0"
          />
        </div>
        <div className="flex items-center gap-1">
          <p role="status" className="min-w-0 grow truncate text-xs text-soft tabular-nums">
            {frozen ? text.paused(newSince) : text.lines(found.length, lines.length)}
          </p>
          <Button
            size="small"
            look="quiet"
            className="!h-8 !px-2.5"
            aria-pressed={frozen !== null}
            onClick={() => setFrozen(frozen ? null : newest)}
          >
            {frozen ? text.resume : text.pause}
          </Button>
          <Button size="small" look="quiet" className="!h-8 !px-2.5" onClick={clear}>
            {text.clear}
          </Button>
        </div>
      </div>
      {found.length > 0 ? (
        <LogLines lines={found} />
      ) : (
        <p className="p-4 text-sm text-soft">{lines.length === 0 ? text.empty : text.noMatch}</p>
      )}
    </>
  );
}
