import type { HostState } from '../contract/http/host.ts';

/** A revoked host stays revoked, even if it still reports. */
export function hostState(host: { revokedAt: number | null; lost: boolean }): HostState {
  if (host.revokedAt !== null) return 'revoked';
  return host.lost ? 'silent' : 'up';
}
