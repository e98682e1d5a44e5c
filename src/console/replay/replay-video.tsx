import { useCallback, useRef, useState } from 'react';
import { FRAME } from '../session/phone-video.tsx';
import { fitWithin, useElementSize } from '../session/use-fit.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import type { Playback } from './playback.ts';
import { type Clip, clipAfter, clipBefore, formatPosition, gapAt, type Timeline } from './timeline.ts';
import { TouchOverlay } from './touch-overlay.tsx';
import type { Stroke } from './touch-strokes.ts';
import { usePosition } from './use-playback.ts';

/** A typical phone's screen size, used if the recording has no video. */
const USUAL = { width: 1080, height: 2340 };

interface ReplayVideoProps {
  name: string;
  timeline: Timeline;
  playback: Playback;
  /** The touches to draw; none if they are hidden. */
  strokes: readonly Stroke[];
}

/** The recorded screen inside a drawn phone case, as large as its place allows. */
export function ReplayVideo({ name, timeline, playback, strokes }: ReplayVideoProps) {
  const area = useRef<HTMLDivElement>(null);
  const room = useElementSize(area);
  const { clips } = timeline;
  // In a gap, the last frame before it stays.
  const shown = usePosition(playback, (time) => Math.max(0, clipBefore(timeline, time)));
  const { width, height } = clips[shown]?.artifact ?? { width: null, height: null };
  const size =
    room &&
    fitWithin(width && height ? { width, height } : USUAL, {
      width: room.width - FRAME * 2,
      height: room.height - FRAME * 2,
    });
  return (
    <div ref={area} className="flex min-h-0 min-w-0 grow items-center justify-center">
      <div
        className="relative w-fit rounded-[1.6rem] bg-[#191816] p-2.5 shadow-lift ring-1 ring-black/20 dark:ring-white/15"
        style={{ visibility: size ? 'visible' : 'hidden' }}
      >
        <div
          className="relative overflow-hidden rounded-[1.05rem] bg-black"
          style={{ width: size?.width ?? 0, height: size?.height ?? 0 }}
        >
          {/* The next video is loaded already, so that it follows without a pause. */}
          {clips.map(
            (clip, index) =>
              (index === shown || index === shown + 1) && (
                <ClipElement
                  key={clip.artifact.id}
                  clip={clip}
                  label={text.screen(name)}
                  isShown={index === shown}
                  playback={playback}
                />
              ),
          )}
          <TouchOverlay playback={playback} strokes={strokes} />
          <GapNote timeline={timeline} playback={playback} />
        </div>
      </div>
    </div>
  );
}

interface ClipElementProps {
  clip: Clip;
  label: string;
  isShown: boolean;
  playback: Playback;
}

function ClipElement({ clip, label, isShown, playback }: ClipElementProps) {
  const [attempt, setAttempt] = useState(0);
  const [isFailed, setFailed] = useState(false);
  const attach = useCallback(
    (video: HTMLVideoElement | null) => playback.attach(clip, video),
    [playback, clip],
  );
  const retry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return (
    <div className="absolute inset-0" style={{ visibility: isShown ? 'visible' : 'hidden' }}>
      <video
        key={attempt}
        ref={attach}
        src={clip.artifact.url}
        aria-label={label}
        muted
        playsInline
        disablePictureInPicture
        preload="auto"
        onLoadedMetadata={playback.wake}
        onSeeked={playback.wake}
        onError={() => {
          setFailed(true);
          playback.fail(clip);
        }}
        onClick={playback.toggle}
        className="block size-full"
      />
      {isFailed && (
        <Note>
          <p role="alert">{text.videoFailed}</p>
          <NoteButton onClick={retry}>{text.retry}</NoteButton>
        </Note>
      )}
    </div>
  );
}

/** Shows that the current time has no video, with a button that continues at the next video. */
function GapNote({ timeline, playback }: { timeline: Timeline; playback: Playback }) {
  const start = usePosition(playback, (time) => gapAt(timeline, time)?.start ?? null);
  if (timeline.clips.length === 0) return <Note>{text.noVideo}</Note>;
  if (start === null) return null;
  const gap = gapAt(timeline, start);
  const next = timeline.clips[clipAfter(timeline, start)];
  if (!gap) return null;
  return (
    <Note>
      <p>{text.gap(formatPosition(gap.start), formatPosition(gap.end))}</p>
      {next && (
        <NoteButton onClick={() => playback.seek(next.start)}>
          {text.skip(formatPosition(next.start))}
        </NoteButton>
      )}
    </Note>
  );
}

/** The note is dark in both themes, as the screen of a phone is. */
function Note({ children }: { children: React.ReactNode }) {
  return (
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-black/75 p-4 text-center text-sm text-white">
      {children}
    </div>
  );
}

const NoteButton = (props: { onClick(): void; children: string }) => (
  <Button size="small" className="!border-transparent !bg-white !text-black" {...props} />
);
