import { formatBytes } from '../data/format-bytes.ts';
import { CloseIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import type { Upload } from './upload-queue.ts';
import { uploadSentence } from './upload-sentence.ts';
import type { Uploads } from './use-uploads.ts';

const text = texts.apps;

/** Lists the uploads in progress and those that failed. */
export function UploadList({ uploads, className = '' }: { uploads: Uploads; className?: string }) {
  if (uploads.list.length === 0) return null;
  return (
    <ul aria-label={text.uploads} className={`space-y-2 ${className}`}>
      {uploads.list.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onRemove={() => uploads.remove(upload.id)} />
      ))}
    </ul>
  );
}

function UploadRow({ upload, onRemove }: { upload: Upload; onRemove(): void }) {
  const failed = upload.state === 'failed';
  return (
    <li
      className={`appear flex items-center gap-2 rounded-xl border py-1.5 pr-1.5 pl-4 text-sm ${
        failed ? 'border-bad/30 bg-bad-tint text-bad' : 'border-line bg-panel'
      }`}
    >
      <div className="min-w-0 grow py-1">
        <p className="flex justify-between gap-3">
          <span className="truncate font-medium">{upload.name}</span>
          {!failed && <span className="shrink-0 text-soft tabular-nums">{progressText(upload)}</span>}
        </p>
        {failed ? (
          <p role="alert">{uploadSentence(upload.error)}</p>
        ) : (
          <ProgressBar
            label={text.progressOf(upload.name)}
            value={upload.state === 'reading' ? null : upload.sent / Math.max(1, upload.size)}
          />
        )}
      </div>
      <IconButton
        label={failed ? text.dismiss(upload.name) : text.cancel(upload.name)}
        icon={<CloseIcon />}
        onClick={onRemove}
        size="small"
        className={failed ? '!text-bad' : ''}
      />
    </li>
  );
}

function progressText({ state, sent, size }: Upload): string {
  if (state === 'waiting') return text.waiting;
  return state === 'reading' ? text.reading : text.sent(formatBytes(sent), formatBytes(size));
}
