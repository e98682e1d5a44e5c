import { useRef, useState, useSyncExternalStore } from 'react';
import { readWatchPage, type WatchTarget } from '../../../client/watch-page.ts';
import type { Session } from '../../../contract/http/session.ts';
import { CLOSE } from '../../../contract/sockets/close-codes.ts';
import {
  BrandMark,
  ClockIcon,
  FullscreenIcon,
  LeaveFullscreenIcon,
  LinkIcon,
  WarningIcon,
} from '../../icons.tsx';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Message } from '../../ui/message.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { FRAME, PhoneVideo } from '../phone-video.tsx';
import { BackLink, RecordedSign, TimeLeft } from '../session-header.tsx';
import { useToolsColumn } from '../tools/tools-layout.ts';
import { fitWithin, useElementSize } from '../use-fit.ts';
import { useFullscreen } from '../use-fullscreen.ts';
import { type Screen, useScreen } from '../use-screen.ts';
import { WebDriverCommands } from '../webdriver-commands.tsx';
import { endSentence } from './end-sentence.ts';
import { useStreamOrigin } from './use-stream-origin.ts';
import { useWatchEnd, type WatchEnd } from './use-watch-end.ts';

const text = texts.watch;
/** A typical phone's screen size, used until the stream reports the actual one. */
const USUAL = { width: 1080, height: 2340 };

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** A phone's screen for a viewer with a watch link, without a key and without control. */
export function WatchPage() {
  const fragment = useSyncExternalStore(subscribe, () => location.hash);
  const target = readWatchPage(fragment);
  usePageTitle(text.title(target?.name ?? ''));
  return (
    <div className="flex h-dvh flex-col">
      {target ? (
        <WatchTargetStream key={fragment} target={target} />
      ) : (
        <main>
          <Message title={text.brokenTitle} isPage icon={<LinkIcon className="size-6" />}>
            {text.broken}
          </Message>
        </main>
      )}
    </div>
  );
}

function WatchTargetStream({ target: { path, name } }: { target: WatchTarget }) {
  const { origin, isReachable } = useStreamOrigin();
  if (origin !== null) return <Watch watched={{ streamUrl: origin + path, name }} />;
  return (
    <p role="status" className="py-20 text-center text-soft">
      {isReachable ? texts.session.waitingForVideo : text.unreachable}
    </p>
  );
}

interface Watched {
  streamUrl: string;
  name: string;
}

interface WatchProps {
  watched: Watched;
  /** The session, which only a signed-in user has. */
  loan?: Session;
}

/** Shows the video until the stream ends, and then why it ended. */
export function Watch({ watched, loan }: WatchProps) {
  const [end, setEnd] = useState<WatchEnd | null>(null);
  if (end === null) return <Watching watched={watched} loan={loan} onEnd={setEnd} />;
  if (end.why === 'ended') {
    return (
      <main>
        <Message
          title={end.code === CLOSE.released ? text.revokedTitle : text.endedTitle}
          isPage
          icon={<ClockIcon className="size-6" />}
        >
          {endSentence(end.code)}
        </Message>
      </main>
    );
  }
  return (
    <main>
      <Message
        title={text.refusedTitle}
        isPage
        icon={<WarningIcon className="size-6" />}
        action={<Button onClick={() => setEnd(null)}>{text.retry}</Button>}
      >
        {text.refused}
      </Message>
    </main>
  );
}

function Watching({ watched, loan, onEnd }: WatchProps & { onEnd(end: WatchEnd): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const room = useElementSize(area);
  const screen = useScreen(canvas, watched.streamUrl);
  const isReachable = useWatchEnd(screen, onEnd);
  const isColumn = useToolsColumn();
  const fit = fitWithin(screen.size ?? USUAL, {
    width: (room?.width ?? 0) - FRAME * 2,
    height: (room?.height ?? 0) - FRAME * 2,
  });
  return (
    <>
      <WatchHeader watched={watched} loan={loan} screen={screen} />
      {!isReachable && (
        <p role="status" className="bg-bad-tint px-4 py-2.5 text-center text-sm text-bad">
          {text.unreachable}
        </p>
      )}
      <div className={`flex min-h-0 grow ${isColumn ? '' : 'flex-col'}`}>
        <main className="flex min-h-0 min-w-0 grow p-3 sm:p-5">
          <div ref={area} className="flex min-h-0 min-w-0 grow items-center justify-center">
            <PhoneVideo
              name={watched.name || text.phone}
              canvas={canvas}
              screen={screen}
              size={room && fit}
            />
          </div>
        </main>
        {loan && <WebDriverCommands session={loan} />}
      </div>
    </>
  );
}

function WatchHeader({ watched: { name }, loan, screen }: WatchProps & { screen: Screen }) {
  const fullscreen = useFullscreen();
  return (
    <header className="flex items-center gap-3 border-b border-line bg-panel px-3 py-2.5 sm:px-5">
      {loan ? <BackLink /> : <BrandMark className="size-8" />}
      <div className="min-w-0 grow">
        <h1 className="truncate leading-tight font-semibold">{loan ? name : text.title(name)}</h1>
        <p className="truncate text-sm leading-tight text-soft">{text.viewOnly}</p>
      </div>
      {loan?.recording && <RecordedSign />}
      {loan && <TimeLeft expiresAt={loan.expires_at} name={name} />}
      {screen.phase === 'live' && <StatusBadge tone="good">{text.live}</StatusBadge>}
      {fullscreen.isPossible && (
        <IconButton
          label={fullscreen.isOn ? text.leaveFullscreen : text.fullscreen}
          icon={fullscreen.isOn ? <LeaveFullscreenIcon /> : <FullscreenIcon />}
          side="bottom"
          onClick={fullscreen.toggle}
        />
      )}
    </header>
  );
}
