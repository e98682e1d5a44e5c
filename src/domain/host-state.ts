import type { HostState } from '../contract/host.ts';

/** A host that was revoked stays so, whatever is heard of it. */
export function hostState(host: { revokedAt: number | null; lost: boolean }): HostState {
  if (host.revokedAt !== null) return 'revoked';
  return host.lost ? 'silent' : 'up';
}
