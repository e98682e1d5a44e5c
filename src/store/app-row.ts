/** What an uploaded file holds. */
export interface AppFacts {
  /** SHA-256 of the uploaded file, hex, and its size in bytes. */
  sha256: string;
  size: number;
  /** Bytes that its files take on disk. */
  storedSize: number;
  packageName: string;
  name: string;
  version: string;
  versionCode: number;
  minSdk: number | null;
  /** Media type of its icon; null: it has none. */
  iconType: 'image/png' | 'image/webp' | null;
}

export interface AppRow extends AppFacts {
  id: string;
  accountId: string;
  /** Unix milliseconds. */
  createdAt: number;
}
