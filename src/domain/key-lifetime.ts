/** The key with which another one is created. */
export interface CreatorKey {
  /** Unix milliseconds; null if it does not expire. */
  expiresAt: number | null;
  /** The key was issued by a sign-in at the identity provider. */
  signedIn: boolean;
}

/**
 * The latest expiry that a key created with this one can have, in Unix milliseconds; null if there is no limit. A key
 * that expires must not create a key that outlives it, or access would never end. A sign-in proves membership at that
 * time, so a key that was issued by one may create keys of a limited lifetime. The keys that those create do not
 * outlive them.
 */
export function latestExpiry(creator: CreatorKey, now: number, maxLifetimeMs: number): number | null {
  if (creator.expiresAt === null) return null;
  return creator.signedIn ? Math.max(creator.expiresAt, now + maxLifetimeMs) : creator.expiresAt;
}
