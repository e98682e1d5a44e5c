import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { App } from '../../contract/http/app.ts';
import { useClient } from '../account/account.tsx';
import { useRefreshApps } from '../data/app-queries.ts';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';
import { MAX_UPLOADS, type Upload, UploadQueue } from './upload-queue.ts';

export interface Uploads {
  list: readonly Upload[];
  add(files: readonly File[]): void;
  remove(id: number): void;
}

/** Uploads files while the component is mounted. Unmounting it cancels uploads in progress. */
export function useUploads(onUploaded: (app: App) => void): Uploads {
  const client = useClient();
  const refresh = useRefreshApps();
  const listener = useRef((_app: App) => {});
  useEffect(() => {
    listener.current = (app) => {
      void refresh();
      onUploaded(app);
    };
  });
  const [queue] = useState(
    () =>
      new UploadQueue(
        (file, options) => client.uploadApp(file, options),
        (app) => listener.current(app),
      ),
  );
  useEffect(() => () => queue.removeAll(), [queue]);
  const list = useSyncExternalStore(queue.subscribe, queue.list);
  const isBusy = list.some(({ state }) => state !== 'failed');
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);
  const add = (files: readonly File[]) => {
    if (!queue.add(files)) toast(texts.apps.tooMany(MAX_UPLOADS), { tone: 'bad' });
  };
  return { list, add, remove: (id) => queue.remove(id) };
}
