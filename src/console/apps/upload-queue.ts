import type { UploadProgress } from '../../client/send-file.ts';
import type { App } from '../../contract/http/app.ts';

/** Maximum number of files in the list, including failed ones. */
export const MAX_UPLOADS = 20;

export interface Upload {
  readonly id: number;
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly sent: number;
  /**
   * reading: the file was sent completely, and the service is analysing it. An upload that succeeds is removed from
   * the list.
   */
  readonly state: 'waiting' | 'sending' | 'reading' | 'failed';
  readonly error: unknown;
}

type Send = (
  file: Blob,
  options: { onProgress(progress: UploadProgress): void; signal: AbortSignal },
) => Promise<App>;

interface Entry {
  upload: Upload;
  file: File;
  controller: AbortController;
}

/**
 * Uploads files one after another, so that the first one is available as early as possible. Each upload can be
 * cancelled.
 */
export class UploadQueue {
  readonly #send: Send;
  readonly #onUploaded: (app: App) => void;
  readonly #listeners = new Set<() => void>();
  #entries: Entry[] = [];
  #shown: readonly Upload[] = [];
  #lastId = 0;

  constructor(send: Send, onUploaded: (app: App) => void) {
    this.#send = send;
    this.#onUploaded = onUploaded;
  }

  /** Returns the same array until an upload changes. */
  readonly list = (): readonly Upload[] => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns false if there is no room for all files. The files that fit are still added. */
  add(files: readonly File[]): boolean {
    const taken = files.slice(0, Math.max(0, MAX_UPLOADS - this.#entries.length));
    for (const file of taken) {
      this.#lastId += 1;
      const { name, size } = file;
      const upload: Upload = { id: this.#lastId, name, size, sent: 0, state: 'waiting', error: null };
      this.#entries.push({ upload, file, controller: new AbortController() });
    }
    this.#changed();
    this.#next();
    return taken.length === files.length;
  }

  /** Removes an upload from the list and cancels it if it is in progress. */
  remove(id: number): void {
    const entry = this.#entries.find(({ upload }) => upload.id === id);
    if (!entry) return;
    this.#drop(entry);
    entry.controller.abort();
    this.#next();
  }

  removeAll(): void {
    const entries = this.#entries;
    this.#entries = [];
    for (const { controller } of entries) controller.abort();
    this.#changed();
  }

  #next(): void {
    const isBusy = this.#entries.some(({ upload: { state } }) => state === 'sending' || state === 'reading');
    const entry = this.#entries.find(({ upload }) => upload.state === 'waiting');
    if (!isBusy && entry) void this.#upload(entry);
  }

  async #upload(entry: Entry): Promise<void> {
    const { signal } = entry.controller;
    this.#set(entry, { state: 'sending' });
    try {
      const onProgress = ({ sent }: UploadProgress) =>
        this.#set(entry, { sent, state: sent >= entry.upload.size ? 'reading' : 'sending' });
      const app = await this.#send(entry.file, { onProgress, signal });
      if (signal.aborted) return;
      this.#drop(entry);
      this.#onUploaded(app);
    } catch (error) {
      if (signal.aborted) return;
      this.#set(entry, { state: 'failed', error });
    }
    this.#next();
  }

  #set(entry: Entry, change: Partial<Upload>): void {
    entry.upload = { ...entry.upload, ...change };
    this.#changed();
  }

  #drop(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#changed();
  }

  #changed(): void {
    this.#shown = this.#entries.map(({ upload }) => upload);
    for (const listener of this.#listeners) listener();
  }
}
