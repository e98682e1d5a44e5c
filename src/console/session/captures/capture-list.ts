import { randomId } from '../../data/random-id.ts';

/** A screenshot or recording of a session. */
export interface Capture {
  id: string;
  sessionId: string;
  kind: 'image' | 'video';
  name: string;
  file: Blob;
  /** URL of the file, valid until the capture is removed. */
  url: string;
}

/** Maximum number of captures and of their bytes. The oldest are removed. They also are in the user's downloads. */
export const MOST_CAPTURES = 60;
export const MOST_BYTES = 512 * 2 ** 20;

interface Urls {
  createObjectURL(file: Blob): string;
  revokeObjectURL(url: string): void;
}

/** The captures that this page made, of all sessions. They are kept until the page is closed or reloaded. */
export class CaptureList {
  readonly #urls: Urls;
  readonly #listeners = new Set<() => void>();
  #captures: readonly Capture[] = [];

  constructor(urls: Urls) {
    this.#urls = urls;
  }

  /** Returns the captures, newest first. Returns the same array until something changes. */
  readonly list = (): readonly Capture[] => this.#captures;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(capture: Pick<Capture, 'sessionId' | 'kind' | 'name' | 'file'>): void {
    const url = this.#urls.createObjectURL(capture.file);
    const all = [{ ...capture, id: randomId(), url }, ...this.#captures];
    let bytes = 0;
    const kept = all.filter(({ file }, index) => {
      bytes += file.size;
      // The newest one is kept, however large it is.
      return index === 0 || (index < MOST_CAPTURES && bytes <= MOST_BYTES);
    });
    this.#replace(all, kept);
  }

  remove(id: string): void {
    this.#replace(
      this.#captures,
      this.#captures.filter((capture) => capture.id !== id),
    );
  }

  #replace(before: readonly Capture[], kept: readonly Capture[]): void {
    for (const capture of before) if (!kept.includes(capture)) this.#urls.revokeObjectURL(capture.url);
    this.#captures = kept;
    for (const listener of this.#listeners) listener();
  }
}

export const captures = new CaptureList(URL);
