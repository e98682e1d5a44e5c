import type { PhoneFileFacts, PhoneFiles, PhoneFolderList, WriteFileOptions } from '../../driver.ts';
import type { OpenedFile } from './phone-storage.ts';

const READ_BYTES = 256 * 1024;

/** An operation on the storage of a phone, which is in the phone's thread. The type of its result is beside it. */
export type StorageTask =
  /** PhoneFolderList */
  | { task: 'list'; path: readonly string[] }
  /** OpenedFile */
  | { task: 'open'; path: readonly string[] }
  /** Uint8Array */
  | { task: 'read'; path: readonly string[]; version: number; position: number; length: number }
  /** Number of the write */
  | { task: 'begin'; path: readonly string[]; overwrite: boolean; size: number | null }
  /** null */
  | { task: 'append'; write: number; bytes: Uint8Array }
  /** PhoneFileFacts */
  | { task: 'commit'; write: number }
  /** null */
  | { task: 'discard'; write: number }
  /** null */
  | { task: 'remove'; path: readonly string[] };

type Perform = (task: StorageTask, signal: AbortSignal) => Promise<unknown>;

/** The files of a simulated phone, seen from outside its thread. */
export class SimulatedFiles implements PhoneFiles {
  readonly #perform: Perform;

  constructor(perform: Perform) {
    this.#perform = perform;
  }

  async list(path: readonly string[], { signal }: { signal: AbortSignal }): Promise<PhoneFolderList> {
    return (await this.#perform({ task: 'list', path }, signal)) as PhoneFolderList;
  }

  async read(path: readonly string[], { signal }: { signal: AbortSignal }) {
    const { version, ...facts } = (await this.#perform({ task: 'open', path }, signal)) as OpenedFile;
    return { ...facts, bytes: this.#bytes(path, { version, size: facts.size }, signal) };
  }

  async write(
    path: readonly string[],
    content: AsyncIterable<Uint8Array>,
    { overwrite, size, ready, signal }: WriteFileOptions,
  ): Promise<PhoneFileFacts> {
    const write = (await this.#perform({ task: 'begin', path, overwrite, size }, signal)) as number;
    try {
      ready();
      for await (const bytes of content) await this.#perform({ task: 'append', write, bytes }, signal);
      return (await this.#perform({ task: 'commit', write }, signal)) as PhoneFileFacts;
    } catch (error) {
      // If the session has ended, the phone is reset.
      await this.#perform({ task: 'discard', write }, new AbortController().signal).catch(() => {});
      throw error;
    }
  }

  async remove(path: readonly string[], { signal }: { signal: AbortSignal }): Promise<void> {
    await this.#perform({ task: 'remove', path }, signal);
  }

  async *#bytes(
    path: readonly string[],
    { version, size }: { version: number; size: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < size; position += READ_BYTES) {
      const task = { task: 'read', path, version, position, length: READ_BYTES } as const;
      yield (await this.#perform(task, signal)) as Uint8Array;
    }
  }
}
