import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../account/account.tsx';

/** All that a session may have. */
const LINKS_PAGE = 100;
const LINKS_POLL_MS = 5_000;

const keyOf = (sessionId: string) => ['watch-links', sessionId];

/** The watch links of a session, newest first, revoked ones too. */
export function useWatchLinks(sessionId: string) {
  const client = useClient();
  return useQuery({
    queryKey: keyOf(sessionId),
    queryFn: ({ signal }) => client.listWatchLinks(sessionId, { page_size: LINKS_PAGE }, signal),
    refetchInterval: LINKS_POLL_MS,
  });
}

export function useCreateWatchLink(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => client.createWatchLink(sessionId),
    // The address stays in the dialog that shows it, and is gone with it.
    gcTime: 0,
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(sessionId) }),
  });
}

export function useRevokeWatchLink(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (linkId: string) => client.revokeWatchLink(sessionId, linkId),
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(sessionId) }),
  });
}
