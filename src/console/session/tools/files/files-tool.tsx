import { useMutation, useQuery } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { type PhoneFile, SHARED_STORAGE } from '../../../../contract/http/phone-file.ts';
import { useClient } from '../../../account/account.tsx';
import { formatBytes } from '../../../data/format-bytes.ts';
import { CloseIcon } from '../../../icons.tsx';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { FileButton } from '../../../ui/file-button.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ErrorNote } from '../../../ui/message.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { RefreshIcon } from '../../session-icons.tsx';
import { Section } from '../section.tsx';
import type { ToolProps } from '../tool-props.ts';
import { type FilePushes, filesKey } from './use-file-pushes.ts';

const text = texts.tools.files;

interface FilesToolProps extends Pick<ToolProps, 'sessionId'> {
  pushes: FilePushes;
  /** Whether the files may be changed. */
  isReady: boolean;
}

/** The files in the shared storage of the phone. Files are dropped anywhere on the page, and dragged out of the list. */
export function FilesTool({ sessionId, pushes, isReady }: FilesToolProps) {
  const client = useClient();
  const { folder, open } = pushes;
  const [leaving, setLeaving] = useState<PhoneFile | null>(null);
  const list = useQuery({
    queryKey: filesKey(sessionId, folder),
    queryFn: ({ signal }) => client.listFiles(sessionId, folder, signal),
    retry: false,
    // Apps on the phone change files too.
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: (file: PhoneFile) => client.deleteFile(sessionId, file.path),
    onSuccess: () => setLeaving(null),
    onSettled: () => void list.refetch(),
  });
  const askToRemove = (file: PhoneFile) =>
    pushes.pushed.has(file.path) ? remove.mutate(file) : setLeaving(file);
  return (
    <Section
      title={text.title}
      action={
        <div className="flex items-center gap-1">
          <IconButton
            label={text.refresh}
            icon={<RefreshIcon className="size-4" />}
            side="left"
            size="small"
            onClick={() => void list.refetch()}
          />
          <FileButton
            size="small"
            accept=""
            multiple
            disabled={!isReady}
            onFiles={(files) => pushes.add(files)}
          >
            {text.push}
          </FileButton>
        </div>
      }
    >
      <Breadcrumb folder={folder} onOpen={open} />
      <PushList pushes={pushes} />
      <ErrorNote error={list.error ?? (leaving ? null : remove.error)} />
      {list.data?.items.length === 0 && <p className="text-sm text-soft">{text.empty}</p>}
      <ul className="text-sm">
        {list.data?.items.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            address={client.fileUrl(sessionId, file.path)}
            onOpen={open}
            onDelete={isReady ? askToRemove : null}
          />
        ))}
      </ul>
      {list.data?.has_more && <p className="mt-2 text-sm text-soft">{text.more(list.data.items.length)}</p>}
      <p className="mt-3 text-sm text-soft">{text.hint}</p>
      {leaving && (
        <FormDialog
          title={text.deleteTitle(leaving.name)}
          explain={text.deleteExplain}
          submit={text.delete}
          danger
          pending={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.mutate(leaving)}
          onClose={() => {
            remove.reset();
            setLeaving(null);
          }}
        />
      )}
    </Section>
  );
}

const PushList = ({ pushes: { list, cancel } }: { pushes: FilePushes }) =>
  list.map(({ id, name, share }) => (
    <div key={id} className="mb-2 flex items-center gap-2 text-sm">
      <div className="min-w-0 grow">
        <p className="truncate">{text.pushing(name)}</p>
        <ProgressBar label={text.pushing(name)} value={share} />
      </div>
      <IconButton
        label={text.cancel(name)}
        icon={<CloseIcon />}
        side="left"
        size="small"
        onClick={() => cancel(id)}
      />
    </div>
  ));

interface FileRowProps {
  file: PhoneFile;
  /** From which the browser downloads the file. */
  address: string;
  onOpen(folder: string): void;
  /** Null while files may not be changed. */
  onDelete: ((file: PhoneFile) => void) | null;
}

function FileRow({ file, address, onOpen, onDelete }: FileRowProps) {
  return (
    <li className="flex min-h-control-sm items-center gap-2">
      {file.kind === 'folder' ? (
        <button
          type="button"
          onClick={() => onOpen(file.path)}
          className="min-w-0 grow truncate rounded-lg text-left font-medium hover:underline"
        >
          {file.name}/
        </button>
      ) : (
        <a
          href={address}
          download={file.name}
          draggable
          onDragStart={(event) => offerDownload(event, file.name)}
          title={text.pull(file.name)}
          className="min-w-0 grow truncate rounded-lg hover:underline"
        >
          {file.name}
        </a>
      )}
      <span className="shrink-0 text-soft tabular-nums">{file.size !== null && formatBytes(file.size)}</span>
      {onDelete && (
        <IconButton
          label={text.deleteOne(file.name)}
          icon={<CloseIcon />}
          side="left"
          size="small"
          onClick={() => onDelete(file)}
        />
      )}
    </li>
  );
}

/** Chromium downloads the address when the link is dropped outside the browser. */
function offerDownload(event: DragEvent<HTMLAnchorElement>, name: string): void {
  const plain = name.replaceAll(':', '_');
  event.dataTransfer.setData('DownloadURL', `application/octet-stream:${plain}:${event.currentTarget.href}`);
}

function Breadcrumb({ folder, onOpen }: { folder: string; onOpen(folder: string): void }) {
  const names = folder.split('/').slice(1);
  const parts = names.map((name, index) => [`/${names.slice(0, index + 1).join('/')}`, name] as const);
  return (
    <nav aria-label={text.path} className="mb-2 flex flex-wrap items-center gap-0.5">
      {parts.map(([path, name]) => (
        <Button
          key={path}
          size="small"
          look="quiet"
          className="max-w-48 truncate !px-1.5"
          aria-current={path === folder ? 'page' : undefined}
          onClick={() => onOpen(path)}
        >
          {path === SHARED_STORAGE ? text.root : `/ ${name}`}
        </Button>
      ))}
    </nav>
  );
}
