import { type ReactNode, useMemo, useState } from 'react';
import type { Artifact } from '../../contract/http/artifact.ts';
import { useToolsColumn } from '../session/tools/tools-layout.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { Tabs } from '../ui/tabs.tsx';
import { ArtifactList } from './artifact-list.tsx';
import { CommandsTab } from './commands-tab.tsx';
import { LogTab, readLogLine } from './log-tab.tsx';
import type { Playback } from './playback.ts';
import { PlayerControls } from './player-controls.tsx';
import { alignRotations, happeningsOf, readEvent } from './replay-entries.ts';
import { ReplayHelp } from './replay-help.tsx';
import { ReplayVideo } from './replay-video.tsx';
import { ScreenshotsTab } from './screenshots-tab.tsx';
import { Scrubber } from './scrubber.tsx';
import { timelineOf } from './timeline.ts';
import { type LinesState, useLines } from './use-lines.ts';
import { usePlayback } from './use-playback.ts';
import { useReplayKeys } from './use-replay-keys.ts';

export interface ReplayViewProps {
  /** Name of the phone. */
  name: string;
  /** When the session was, and the model of the phone. */
  detail: string;
  /** Why the recording is incomplete, or null. */
  problem: string | null;
  /** All files of the recording. Their addresses must be accessible to the browser of the viewer. */
  artifacts: readonly Artifact[];
  /** The link to the page before this one. */
  back?: ReactNode;
  /** What the viewer can do with the recording, in the header. */
  actions?: ReactNode;
  /** Asks whether to delete these files. Absent if the viewer must not delete them. */
  onDelete?: (artifacts: readonly Artifact[]) => void;
}

const NO_STROKES = [] as const;

/** Replays a recording. It needs no session and no account, because the page of a link uses it, too. */
export function ReplayView({ name, detail, problem, artifacts, back, actions, onDelete }: ReplayViewProps) {
  usePageTitle(text.titleOf(name));
  const isColumn = useToolsColumn();
  const events = useLines(
    artifacts.find(({ kind }) => kind === 'events'),
    readEvent,
  );
  const read = useMemo(() => happeningsOf(events.lines?.items ?? []), [events.lines]);
  const timeline = useMemo(() => timelineOf(artifacts, read.end), [artifacts, read.end]);
  const happenings = useMemo(
    () => ({ ...read, entries: alignRotations(read.entries, timeline) }),
    [read, timeline],
  );
  const playback = usePlayback(timeline);
  const [showsTouches, setShowsTouches] = useState(true);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useReplayKeys(playback, timeline.duration, () => setHelpOpen(true));
  return (
    <div className={`flex h-dvh flex-col ${isColumn ? 'min-h-90' : 'min-h-160'}`}>
      <header className="flex items-center gap-2 border-b border-line bg-panel px-3 py-2.5 sm:gap-3 sm:px-5">
        {back}
        <div className="min-w-0 grow">
          <h1 className="truncate leading-tight font-semibold">{text.titleOf(name)}</h1>
          <p className="line-clamp-2 text-sm leading-tight text-soft">{detail}</p>
        </div>
        {actions}
      </header>
      {problem !== null && (
        <p role="status" className="bg-warn-tint px-4 py-2 text-center text-sm text-warn">
          {text.endedEarly(problem)}
        </p>
      )}
      <div className={`flex min-h-0 grow ${isColumn ? '' : 'flex-col'}`}>
        <main
          aria-label={text.player}
          className={`flex min-w-0 flex-col gap-2 p-3 sm:px-5 ${isColumn ? 'min-h-0 grow' : 'h-1/2 shrink-0'}`}
        >
          <ReplayVideo
            name={name}
            timeline={timeline}
            playback={playback}
            strokes={showsTouches ? happenings.strokes : NO_STROKES}
          />
          <div className="@container mx-auto w-full max-w-4xl shrink-0">
            <Scrubber timeline={timeline} playback={playback} happenings={happenings} />
            <PlayerControls
              playback={playback}
              duration={timeline.duration}
              showsTouches={showsTouches}
              onTouches={() => setShowsTouches(!showsTouches)}
              onHelp={() => setHelpOpen(true)}
            />
          </div>
        </main>
        <aside
          aria-label={text.tabsLabel}
          className={`flex min-h-0 flex-col border-line bg-panel ${isColumn ? 'w-[clamp(21rem,34vw,34rem)] shrink-0 border-l' : 'grow border-t'}`}
        >
          <ReplayTabs {...{ name, artifacts, events, playback, onDelete }} entries={happenings.entries} />
        </aside>
      </div>
      {isHelpOpen && <ReplayHelp onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

interface ReplayTabsProps extends Pick<ReplayViewProps, 'name' | 'artifacts'> {
  events: LinesState<unknown>;
  entries: ReturnType<typeof happeningsOf>['entries'];
  playback: Playback;
  onDelete: ReplayViewProps['onDelete'] | undefined;
}

type Tab = keyof typeof text.tabs;

function ReplayTabs({ name, artifacts, events, entries, playback, onDelete }: ReplayTabsProps) {
  const [tab, setTab] = useState<Tab>('commands');
  // The log may be large, so it is loaded when it is shown for the first time.
  const [showsLog, setShowsLog] = useState(false);
  const log = useLines(showsLog ? artifacts.find(({ kind }) => kind === 'log') : undefined, readLogLine);
  const choose = (id: Tab) => {
    setTab(id);
    if (id === 'log') setShowsLog(true);
  };
  const screenshots = artifacts.filter(({ kind }) => kind === 'screenshot');
  const offered = (Object.keys(text.tabs) as Tab[]).filter(
    (id) => id !== 'screenshots' || screenshots.length > 0,
  );
  const current = offered.includes(tab) ? tab : 'files';
  return (
    <Tabs<Tab>
      label={text.tabsLabel}
      tabs={offered.map((id) => ({ id, label: text.tabs[id] }))}
      current={current}
      onChange={choose}
    >
      {current === 'commands' && <CommandsTab state={events} entries={entries} playback={playback} />}
      {current === 'log' && <LogTab state={log} playback={playback} />}
      {current === 'screenshots' && <ScreenshotsTab screenshots={screenshots} playback={playback} />}
      {current === 'files' && (
        <div className="p-3">
          <ArtifactList name={name} artifacts={artifacts} onDelete={onDelete} />
        </div>
      )}
    </Tabs>
  );
}
