import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { TrashIcon } from '../../../icons.tsx';
import { texts } from '../../../texts.ts';
import { copyToClipboard } from '../../../ui/copy-to-clipboard.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { FIELD, Select } from '../../../ui/select.tsx';
import { fileNameNow, saveFile } from '../../save-file.ts';
import {
  CopyIcon,
  DockBottomIcon,
  DockSideIcon,
  DownloadIcon,
  PauseIcon,
  PlayIcon,
  WrapIcon,
} from '../../session-icons.tsx';
import type { Tools } from '../tools-layout.ts';
import type { LogLine } from './log-feed.ts';
import { appsIn, filterLog, LOG_LEVELS, type LogLevel, logText } from './log-filter.ts';
import { LogLines } from './log-lines.tsx';
import type { Log } from './use-log.ts';

const text = texts.tools.log;

export interface LogToolProps {
  log: Log;
  /** Name of the phone, for the file name. */
  name: string;
  tools: Tools;
  /** Null where the log cannot be moved, because it is as wide as the window already. */
  onDock: (() => void) | null;
}

/**
 * Shows the phone's log. While it is paused the view does not change, but the feed still collects lines up to its
 * limit.
 */
export function LogTool({ log, name, tools, onDock }: LogToolProps) {
  const { feed, start } = log;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the log is shown
  useEffect(start, []);
  const newest = useSyncExternalStore(feed.subscribe, feed.list);
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<LogLevel>('V');
  const [app, setApp] = useState('');
  const [frozen, setFrozen] = useState<readonly LogLine[] | null>(null);
  const lines = frozen ?? newest;
  const apps = useMemo(() => appsIn(lines), [lines]);
  const found = useMemo(() => filterLog(lines, { text: search, level, app }), [lines, search, level, app]);
  const newSince = frozen ? (newest.at(-1)?.number ?? -1) - (frozen.at(-1)?.number ?? -1) : 0;
  const clear = () => {
    feed.clear();
    if (frozen) setFrozen([]);
  };
  return (
    <>
      <div className="@container shrink-0 border-b border-line p-3">
        <div className="flex flex-wrap items-center gap-2">
          <input
            type="search"
            aria-label={text.search}
            placeholder={text.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className={`${FIELD} min-w-0 grow px-3 placeholder:text-soft @2xl:w-0`}
          />
          <Select
            label={text.app}
            value={app}
            options={[['', text.allApps], ...apps.map((name) => [name, name] as const)]}
            onChange={setApp}
            className="min-w-0 grow basis-0 @2xl:w-64 @2xl:grow-0 @2xl:basis-auto"
          />
          <Select
            label={text.level}
            value={level}
            options={LOG_LEVELS.map((choice) => [choice, text.levels[choice]] as const)}
            onChange={(choice) => setLevel(choice as LogLevel)}
            className="w-32 shrink-0"
          />
          <div className="flex min-w-0 grow items-center @2xl:grow-0">
            <p role="status" className="min-w-0 grow truncate pr-2 text-xs text-soft tabular-nums">
              {frozen ? text.paused(newSince) : text.lines(found.length, lines.length)}
            </p>
            <LogActions
              {...{ found, name, tools, onDock, clear }}
              isPaused={frozen !== null}
              onPause={() => setFrozen(frozen ? null : newest)}
            />
          </div>
        </div>
      </div>
      {found.length > 0 ? (
        <LogLines lines={found} wrap={tools.layout.logWrap} />
      ) : (
        <p className="p-4 text-sm text-soft">{lines.length === 0 ? text.empty : text.noMatch}</p>
      )}
    </>
  );
}

interface LogActionsProps extends Pick<LogToolProps, 'name' | 'tools' | 'onDock'> {
  /** The lines that the filter lets through. */
  found: readonly LogLine[];
  isPaused: boolean;
  onPause(): void;
  clear(): void;
}

function LogActions({ found, name, tools, onDock, isPaused, onPause, clear }: LogActionsProps) {
  const { logWrap, logDocked } = tools.layout;
  const save = () =>
    saveFile(new Blob([logText(found)], { type: 'text/plain' }), fileNameNow(`${name} log`, '.txt'));
  return (
    <>
      <Action
        label={isPaused ? text.resume : text.pause}
        icon={isPaused ? <PlayIcon /> : <PauseIcon />}
        data-on={isPaused || undefined}
        onClick={onPause}
      />
      <Action
        label={text.wrap}
        icon={<WrapIcon />}
        aria-pressed={logWrap}
        data-on={logWrap || undefined}
        onClick={() => tools.change({ logWrap: !logWrap })}
      />
      <Action
        label={text.copy}
        icon={<CopyIcon />}
        disabled={found.length === 0}
        onClick={() => void copyToClipboard(logText(found), text.copied(found.length))}
      />
      <Action label={text.download} icon={<DownloadIcon />} disabled={found.length === 0} onClick={save} />
      <Action label={text.clear} icon={<TrashIcon />} onClick={clear} />
      {onDock && (
        <Action
          label={logDocked ? text.undock : text.dock}
          icon={logDocked ? <DockSideIcon /> : <DockBottomIcon />}
          onClick={onDock}
        />
      )}
    </>
  );
}

const Action = (props: Parameters<typeof IconButton>[0]) => (
  <IconButton {...props} size="small" className="data-on:bg-sunken data-on:text-ink" />
);
