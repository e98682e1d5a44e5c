import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { App } from '../../contract/http/app.ts';
import { useClient } from '../account/account.tsx';
import { useRefreshApps } from '../data/app-queries.ts';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';
import { mayBeApp } from './app-files.ts';
import { MAX_UPLOADS, type Upload, UploadQueue } from './upload-queue.ts';
import { uploadSentence } from './upload-sentence.ts';

export interface Uploads {
  list: readonly Upload[];
  add(files: readonly File[]): void;
  remove(id: number): void;
}

interface UploadOptions {
  onUploaded(app: App): void;
  /** Whether a failed upload stays in the list, or is a message that disappears by itself. */
  keepsFailures: boolean;
}

/** Uploads files while the component is mounted. Unmounting it cancels uploads in progress. */
export function useUploads({ onUploaded, keepsFailures }: UploadOptions): Uploads {
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
  useEffect(() => {
    if (keepsFailures) return;
    for (const { id, state, name, error } of list) {
      if (state !== 'failed') continue;
      queue.remove(id);
      toast(texts.apps.failed(name, uploadSentence(error)), { tone: 'bad' });
    }
  }, [keepsFailures, list, queue]);
  const isBusy = list.some(({ state }) => state !== 'failed');
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);
  const add = async (files: readonly File[]) => {
    const checked = await Promise.all(files.map(async (file) => ({ file, isApp: await mayBeApp(file) })));
    for (const { file, isApp } of checked) {
      if (!isApp) toast(texts.apps.notAnApp(file.name), { tone: 'bad' });
    }
    const apps = checked.filter(({ isApp }) => isApp).map(({ file }) => file);
    if (!queue.add(apps)) toast(texts.apps.tooMany(MAX_UPLOADS), { tone: 'bad' });
  };
  return { list, add: (files) => void add(files), remove: (id) => queue.remove(id) };
}
