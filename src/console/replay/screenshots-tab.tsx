import type { Artifact } from '../../contract/http/artifact.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import type { Playback } from './playback.ts';
import { formatPosition } from './timeline.ts';

interface ScreenshotsTabProps {
  screenshots: readonly Artifact[];
  playback: Playback;
}

/** The screenshots that clients took during the recording. */
export function ScreenshotsTab({ screenshots, playback }: ScreenshotsTabProps) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(7.5rem,1fr))] gap-3 p-3">
      {screenshots.map(({ id, url, offset_ms }) => {
        const time = formatPosition(offset_ms);
        return (
          <li key={id} className="min-w-0 overflow-hidden rounded-xl border border-line bg-panel">
            <a href={url} target="_blank" rel="noreferrer" className="block -outline-offset-2">
              <img
                src={url}
                alt={text.screenshotAt(time)}
                loading="lazy"
                className="block h-44 w-full bg-sunken object-contain"
              />
            </a>
            <Button
              look="quiet"
              size="small"
              className="w-full tabular-nums"
              aria-label={text.seekTo(time)}
              onClick={() => playback.seek(offset_ms)}
            >
              {time}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
