import { Pointer, RotateCcw, RotateCw } from 'lucide-react';
import { HelpIcon, icon } from '../icons.tsx';
import { PauseIcon, PlayIcon } from '../session/session-icons.tsx';
import { replayTexts as text } from '../texts/replay.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { type Playback, SPEEDS } from './playback.ts';
import { formatPosition } from './timeline.ts';
import { usePlaybackState, usePosition } from './use-playback.ts';

const BackwardIcon = icon(RotateCcw);
const ForwardIcon = icon(RotateCw);
const TouchesIcon = icon(Pointer);

/** Distance of the buttons and of the arrow keys. */
export const JUMP_MS = 5_000;

interface PlayerControlsProps {
  playback: Playback;
  duration: number;
  showsTouches: boolean;
  onTouches(): void;
  onHelp(): void;
}

export function PlayerControls({ playback, duration, showsTouches, onTouches, onHelp }: PlayerControlsProps) {
  const { isPlaying, speed } = usePlaybackState(playback);
  const jump = (distance: number) => playback.seek(playback.position() + distance);
  return (
    <div className="flex items-center gap-1">
      <IconButton
        label={isPlaying ? text.pause : text.play}
        icon={isPlaying ? <PauseIcon /> : <PlayIcon />}
        onClick={playback.toggle}
        className="!bg-strong !text-on-strong hover:!bg-strong/85"
      />
      <IconButton
        label={text.backward}
        icon={<BackwardIcon />}
        onClick={() => jump(-JUMP_MS)}
        className="@max-md:hidden"
      />
      <IconButton
        label={text.forward}
        icon={<ForwardIcon />}
        onClick={() => jump(JUMP_MS)}
        className="@max-md:hidden"
      />
      <Time playback={playback} duration={duration} />
      <IconButton
        label={text.touches}
        icon={<TouchesIcon />}
        size="small"
        aria-pressed={showsTouches}
        data-on={showsTouches || undefined}
        onClick={onTouches}
        className="data-on:bg-sunken data-on:text-ink"
      />
      <Select
        label={text.speed}
        value={String(speed)}
        options={SPEEDS.map((rate) => [String(rate), text.speedValue(rate)] as const)}
        onChange={(rate) => playback.setSpeed(Number(rate))}
        className="w-20 shrink-0"
      />
      <IconButton
        label={text.help}
        icon={<HelpIcon />}
        size="small"
        onClick={onHelp}
        className="pointer-coarse:hidden @max-sm:hidden"
      />
    </div>
  );
}

function Time({ playback, duration }: { playback: Playback; duration: number }) {
  const now = usePosition(playback, formatPosition);
  return (
    <p className="mr-auto px-2 text-sm whitespace-nowrap tabular-nums">
      {now} <span className="text-soft">/ {formatPosition(duration)}</span>
    </p>
  );
}
