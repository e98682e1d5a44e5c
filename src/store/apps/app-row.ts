/** Metadata of an uploaded app. */
export interface AppFacts {
  /** SHA-256 (hex) of the uploaded file; `size` is its size in bytes. */
  sha256: string;
  size: number;
  /** Disk space that its files take, bytes. */
  storedSize: number;
  packageName: string;
  name: string;
  version: string;
  versionCode: number;
  minSdk: number | null;
  /** Media type of its icon; null: it has no icon. */
  iconType: 'image/png' | 'image/webp' | null;
}

export interface AppRow extends AppFacts {
  id: string;
  accountId: string;
  /** Unix milliseconds. */
  createdAt: number;
}
