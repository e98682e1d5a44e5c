import type { Readable } from 'node:stream';

/** The storage does not have the content. */
export class ArtifactMissingError extends Error {
  constructor(id: string, cause?: unknown) {
    super(`the content of artifact ${id} is not in the storage`, { cause });
    this.name = 'ArtifactMissingError';
  }
}

/** The storage is full, unreachable or returned an error. The message is for the log. */
export class ArtifactStorageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ArtifactStorageError';
  }
}

/** Storage for the content of artifacts, by the identifier of the artifact. */
export interface ArtifactFiles {
  /**
   * Stores the content, which survives a power failure when this resolves. Replaces existing content. An
   * attempt that fails leaves nothing that `read` would find.
   * @param size exact size of the content, in bytes; content of another size is an error
   * @throws ArtifactStorageError, or the error of the source
   */
  write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    options: { size: number; type: string },
  ): Promise<void>;
  /**
   * The bytes from `start` to `end`, both included. A later error of the storage destroys the stream.
   * @throws ArtifactMissingError, ArtifactStorageError
   */
  read(id: string, range: { start: number; end: number }): Promise<Readable>;
  /** Removes the content. It is not an error if there is none. @throws ArtifactStorageError */
  remove(id: string): Promise<void>;
  /** Free space, bytes; null: unknown, because the storage has no such limit. */
  freeBytes(): Promise<number | null>;
  /** Removes what is left of uploads that ended with their process. Uploads in progress stay. */
  removeAbandoned(): Promise<void>;
}
