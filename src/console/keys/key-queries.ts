import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { NewKey } from '../../client/admin-client.ts';
import { useClient } from '../account/account.tsx';

const KEYS_PAGE = 20;
const KEYS_POLL_MS = 10_000;

/** Owner of the keys: null for the user's own account, or another account, which requires the operator role. */
export type KeyOwner = { id: string; name: string } | null;

export function useKeys(owner: KeyOwner, page: number) {
  const client = useClient();
  const query = { page, page_size: KEYS_PAGE };
  return useQuery({
    queryKey: ['keys', owner?.id ?? 'own', page],
    queryFn: ({ signal }) =>
      owner ? client.admin.listKeys(owner.id, query, signal) : client.listKeys(query, signal),
    refetchInterval: KEYS_POLL_MS,
    placeholderData: keepPreviousData,
  });
}

export function useCreateKey(owner: KeyOwner) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ key, idempotencyKey }: { key: NewKey; idempotencyKey: string }) =>
      owner
        ? client.admin.createKey(owner.id, key, { idempotencyKey })
        : client.createKey(key, { idempotencyKey }),
    // Only the dialog that shows the secret key holds it, so that it is gone when the dialog closes.
    gcTime: 0,
    onSettled: () => cache.invalidateQueries({ queryKey: ['keys'] }),
  });
}

export function useRevokeKey(owner: KeyOwner) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) => (owner ? client.admin.revokeKey(keyId) : client.revokeKey(keyId)),
    onSettled: (key) => {
      // The user's own key was revoked, so every further request would fail.
      if (key?.current) return;
      return Promise.all(
        [['keys'], ['sessions'], ['usage'], ['admin']].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}
