import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SHARED_STORAGE } from '../../../../contract/http/phone-file.ts';
import { useClient } from '../../../account/account.tsx';
import { errorSentence } from '../../../data/error-sentence.ts';
import { texts } from '../../../texts.ts';
import { toast } from '../../../ui/toasts.tsx';

const text = texts.tools.files;

/** Number of files that can wait or be in progress. They are pushed one after the other. */
const MAX_PUSHES = 50;

export interface Push {
  id: number;
  name: string;
  /** 0 to 1; null while the file waits or its progress is unknown. */
  share: number | null;
}

export interface FilePushes {
  list: readonly Push[];
  /** The folder that is shown. */
  folder: string;
  open(folder: string): void;
  /** Paths that were pushed while this page is open. */
  pushed: ReadonlySet<string>;
  /** Pushes files to a folder, by default the one that is shown. */
  add(files: readonly File[], to?: string): void;
  cancel(id: number): void;
}

/** The folder for files that are dropped on the phone. */
export const DOWNLOAD = `${SHARED_STORAGE}/Download`;

export const filesKey = (sessionId: string, folder?: string) =>
  folder === undefined ? ['phone-files', sessionId] : ['phone-files', sessionId, folder];

/** Pushes files to a session's phone while the component is mounted. Unmounting it cancels them. */
export function useFilePushes(sessionId: string): FilePushes {
  const client = useClient();
  const queries = useQueryClient();
  const [folder, open] = useState(DOWNLOAD);
  const [list, setList] = useState<readonly Push[]>([]);
  const [pushed, setPushed] = useState<ReadonlySet<string>>(new Set());
  const running = useRef(new Map<number, AbortController>());
  const last = useRef<{ id: number; done: Promise<void> }>({ id: 0, done: Promise.resolve() });
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const controller of current.values()) controller.abort();
    };
  }, []);
  const change = (id: number, share: number | null) =>
    setList((pushes) => pushes.map((push) => (push.id === id ? { ...push, share } : push)));

  const push = async (file: File, target: string, { id, signal }: { id: number; signal: AbortSignal }) => {
    try {
      if (signal.aborted) return;
      const onProgress = ({ sent, total }: { sent: number; total: number | null }) =>
        change(id, total ? sent / total : null);
      const { path } = await client.pushFile(sessionId, target, file, { signal, onProgress });
      setPushed((paths) => new Set(paths).add(path));
      toast(text.pushed(file.name));
    } catch (error) {
      if (!signal.aborted) toast(text.failed(file.name, errorSentence(error)), { tone: 'bad' });
    } finally {
      running.current.delete(id);
      setList((pushes) => pushes.filter((one) => one.id !== id));
      void queries.invalidateQueries({ queryKey: filesKey(sessionId) });
    }
  };

  const add = (files: readonly File[], to = folder) => {
    if (list.length + files.length > MAX_PUSHES) return void toast(text.tooMany(MAX_PUSHES), { tone: 'bad' });
    for (const file of files) {
      const id = last.current.id + 1;
      const controller = new AbortController();
      running.current.set(id, controller);
      setList((pushes) => [...pushes, { id, name: file.name, share: null }]);
      const run = () => push(file, `${to}/${file.name}`, { id, signal: controller.signal });
      last.current = { id, done: last.current.done.then(run) };
    }
  };
  return { list, folder, open, pushed, add, cancel: (id) => running.current.get(id)?.abort() };
}
