// Declarations of the parts that are used from packages without types.

declare module '@devicefarmer/adbkit-apkreader/lib/apkreader/parser/manifest.js' {
  /** Reads a binary AndroidManifest.xml. Returns attributes by their local names, as typed values. */
  class ManifestParser {
    constructor(content: Buffer);
    parse(): Record<string, unknown>;
  }
  export = ManifestParser;
}

declare module '@devicefarmer/adbkit-apkreader' {
  /** Reads an APK from a file or from a buffer. */
  class ApkReader {
    static open(apk: string | Buffer): Promise<ApkReader>;
    readManifest(): Promise<Record<string, unknown>>;
  }
  export = ApkReader;
}

declare module 'yauzl' {
  import type { EventEmitter } from 'node:events';

  export interface Entry {
    readonly fileName: string;
    readonly compressionMethod: number;
    readonly compressedSize: number;
    readonly uncompressedSize: number;
    readonly relativeOffsetOfLocalHeader: number;
  }
  export interface ZipFile extends EventEmitter {
    readonly entryCount: number;
    readEntry(): void;
    close(): void;
  }
  export function open(
    path: string,
    options: { lazyEntries: boolean; autoClose: boolean },
    callback: (error: Error | null, zip: ZipFile) => void,
  ): void;
}
