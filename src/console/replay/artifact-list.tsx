import { useState } from 'react';
import type { Artifact } from '../../contract/http/artifact.ts';
import { formatBytes } from '../data/format-bytes.ts';
import { TrashIcon } from '../icons.tsx';
import { DownloadIcon } from '../session/session-icons.tsx';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { toast } from '../ui/toasts.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { downloadAll, fileNameOf } from './download.ts';
import { formatPosition } from './timeline.ts';

interface ArtifactListProps {
  /** Name of the phone, for the file names. */
  name: string;
  artifacts: readonly Artifact[];
  /** Asks whether to delete these files. Absent if the viewer must not delete them. */
  onDelete?: ((artifacts: readonly Artifact[]) => void) | undefined;
}

/** The files of a recording, with their downloads. */
export function ArtifactList({ name, artifacts, onDelete }: ArtifactListProps) {
  const size = artifacts.reduce((sum, one) => sum + one.size, 0);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-sm text-soft tabular-nums">
          {text.total(artifacts.length, formatBytes(size))}
        </p>
        <DownloadAllButton name={name} artifacts={artifacts} />
        {onDelete && (
          <Button size="small" look="danger" onClick={() => onDelete(artifacts)}>
            {text.deleteAll}
          </Button>
        )}
      </div>
      <ul aria-label={text.files} className="mt-3 divide-y divide-line text-sm">
        {artifacts.map((artifact) => (
          <Row key={artifact.id} name={name} artifact={artifact} onDelete={onDelete} />
        ))}
      </ul>
    </>
  );
}

interface RowProps extends Pick<ArtifactListProps, 'name' | 'onDelete'> {
  artifact: Artifact;
}

function Row({ name, artifact, onDelete }: RowProps) {
  const { kind, size, offset_ms, duration_ms, width, height } = artifact;
  const facts = [
    text.kindsOfFiles[kind],
    formatBytes(size),
    kind === 'video' && duration_ms !== null && formatPosition(duration_ms),
    offset_ms > 0 && text.startsAt(formatPosition(offset_ms)),
    width !== null && height !== null && text.entries.size(width, height),
  ];
  return (
    <li className="flex items-center gap-1 py-1.5">
      <div className="min-w-0 grow">
        <p className="font-medium break-all">{artifact.name}</p>
        <p className="text-xs text-soft tabular-nums">{facts.filter(Boolean).join(' · ')}</p>
      </div>
      <Tooltip text={text.download(artifact.name)}>
        <a
          href={artifact.url}
          download={fileNameOf(name, artifact)}
          aria-label={text.download(artifact.name)}
          className="grid size-control-sm shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
        >
          <DownloadIcon className="size-4" />
        </a>
      </Tooltip>
      {onDelete && (
        <IconButton
          label={text.delete(artifact.name)}
          icon={<TrashIcon className="size-4" />}
          size="small"
          onClick={() => onDelete([artifact])}
        />
      )}
    </li>
  );
}

/** Saves one file after the other. */
function DownloadAllButton({ name, artifacts }: Pick<ArtifactListProps, 'name' | 'artifacts'>) {
  const [at, setAt] = useState<number | null>(null);
  const save = async () => {
    await downloadAll(name, artifacts, setAt);
    setAt(null);
    toast(text.downloaded(artifacts.length));
  };
  return (
    <Button size="small" busy={at !== null} onClick={() => void save()}>
      {at === null ? (
        <>
          <DownloadIcon className="size-4" />
          {text.downloadAll}
        </>
      ) : (
        text.downloading(at, artifacts.length)
      )}
    </Button>
  );
}
