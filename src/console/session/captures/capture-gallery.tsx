import { useSyncExternalStore } from 'react';
import { formatBytes } from '../../data/format-bytes.ts';
import { TrashIcon } from '../../icons.tsx';
import { texts } from '../../texts.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { saveFile } from '../save-file.ts';
import { DownloadIcon } from '../session-icons.tsx';
import { type Capture, captures } from './capture-list.ts';

const text = texts.tools.captures;

/** Returns the captures of a session, newest first. */
export function useCaptures(sessionId: string): readonly Capture[] {
  const all = useSyncExternalStore(captures.subscribe, captures.list);
  return all.filter((capture) => capture.sessionId === sessionId);
}

/** The screenshots and recordings of a session that this page made. */
export function CaptureGallery({ items }: { items: readonly Capture[] }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-3 text-left">
      {items.map((capture) => (
        <li key={capture.id} className="min-w-0 overflow-hidden rounded-xl border border-line bg-panel">
          <Preview capture={capture} />
          <div className="flex items-center gap-0.5 py-1 pr-1 pl-3">
            <p title={capture.name} className="min-w-0 grow truncate text-xs text-soft tabular-nums">
              {formatBytes(capture.file.size)}
            </p>
            <IconButton
              label={text.saveOne(capture.name)}
              icon={<DownloadIcon className="size-4" />}
              size="small"
              onClick={() => saveFile(capture.file, capture.name)}
            />
            <IconButton
              label={text.removeOne(capture.name)}
              icon={<TrashIcon className="size-4" />}
              size="small"
              onClick={() => captures.remove(capture.id)}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Preview({ capture: { kind, url, name } }: { capture: Capture }) {
  const look = 'block h-44 w-full bg-sunken object-contain';
  if (kind === 'video') {
    // biome-ignore lint/a11y/useMediaCaption: a recording of a screen has no sound
    return <video src={url} controls preload="metadata" aria-label={name} className={look} />;
  }
  return (
    <a href={url} target="_blank" rel="noreferrer" className="block -outline-offset-2">
      <img src={url} alt={name} className={look} />
    </a>
  );
}
