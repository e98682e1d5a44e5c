import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { NewKey } from '../../client/admin-client.ts';
import { useClient } from '../account/account.tsx';

const KEYS_PAGE = 20;
const KEYS_POLL_MS = 10_000;

/** Whose keys: null for one's own; else those of the account, which is for operators. */
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
    // What the key is stays in the dialog that shows it, and is gone with it.
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
      // With that key nothing more can be asked.
      if (key?.current) return;
      return Promise.all(
        [['keys'], ['sessions'], ['usage'], ['admin']].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}
