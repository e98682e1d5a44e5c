import { useEffect, useRef, useState } from 'react';
import { UploadIcon } from '../icons.tsx';

interface FileDropProps {
  title: string;
  detail: string;
  onFiles(files: readonly File[]): void;
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/**
 * Accepts files that are dropped anywhere on the page while it is mounted. While files are dragged over the page, it
 * covers its nearest positioned ancestor with a message. Users without a mouse choose files with a button instead.
 */
export function FileDrop({ title, detail, onFiles }: FileDropProps) {
  const isOver = useFileDrop(onFiles);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none absolute inset-0 z-floating grid place-items-center rounded-2xl border-2 border-dashed border-focus bg-page/85 p-6 text-center">
      <div className="appear flex flex-col items-center gap-2">
        <UploadIcon className="size-9 text-focus" />
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-sm text-soft">{detail}</p>
      </div>
    </div>
  );
}

/** Whether files are being dragged over the page. */
function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const listener = useRef(onFiles);
  useEffect(() => {
    listener.current = onFiles;
  });
  useEffect(() => {
    const listeners = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(type, act, { signal: listeners.signal });
    on('dragover', (event) => {
      if (!hasFiles(event)) return;
      // Without this the browser would open the file instead of the page.
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    });
    on('dragleave', (event) => {
      // `relatedTarget` is null only if the pointer leaves the page. Otherwise it moved to another element within the
      // page.
      if (event.relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) listener.current(files);
    });
    return () => listeners.abort();
  }, []);
  return isOver;
}
