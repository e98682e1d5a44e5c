/** The key with which another one is created. */
export interface MakerKey {
  /** Unix milliseconds; null: never. */
  expiresAt: number | null;
  /** It came of signing in. */
  signedIn: boolean;
}

/**
 * The latest expiry of a key that is created with this one; null: none. A key that expires creates none that outlives it, or
 * it would never end. A sign-in proves membership at that time, so a key that came of it may create keys of a limited lifetime;
 * the keys that those create do not outlive them.
 */
export function latestExpiry(maker: MakerKey, now: number, maxLifetimeMs: number): number | null {
  if (maker.expiresAt === null) return null;
  return maker.signedIn ? Math.max(maker.expiresAt, now + maxLifetimeMs) : maker.expiresAt;
}
