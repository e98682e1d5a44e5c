import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../account/account.tsx';

/** Maximum number of watch links of a session. */
const LINKS_PAGE = 100;
const LINKS_POLL_MS = 5_000;

export const watchLinksKey = (sessionId: string) => ['watch-links', sessionId];

/** Queries the watch links of a session, newest first, including revoked ones. */
export function useWatchLinks(sessionId: string) {
  const client = useClient();
  return useQuery({
    queryKey: watchLinksKey(sessionId),
    queryFn: ({ signal }) => client.listWatchLinks(sessionId, { page_size: LINKS_PAGE }, signal),
    refetchInterval: LINKS_POLL_MS,
  });
}

export function useCreateWatchLink(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => client.createWatchLink(sessionId),
    // Only the dialog that shows the address holds it, so that it is gone when the dialog closes.
    gcTime: 0,
    onSettled: () => cache.invalidateQueries({ queryKey: watchLinksKey(sessionId) }),
  });
}

export function useRevokeWatchLink(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (linkId: string) => client.revokeWatchLink(sessionId, linkId),
    onSettled: () => cache.invalidateQueries({ queryKey: watchLinksKey(sessionId) }),
  });
}
