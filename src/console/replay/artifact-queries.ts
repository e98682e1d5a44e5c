import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Artifact } from '../../contract/http/artifact.ts';
import type { Session } from '../../contract/http/session.ts';
import { useClient } from '../account/account.tsx';

/** Whether a session has files that can be listed. */
export const isReplayable = ({ recording }: Session): boolean => recording?.status === 'complete';

/** Queries the files of a recording, in the order of time. */
export function useArtifacts({ session_id: sessionId }: Session, enabled: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: ['sessions', 'artifacts', sessionId],
    queryFn: async ({ signal }) => (await client.listArtifacts(sessionId, signal)).items,
    enabled,
  });
}

/** Deletes files of a recording one after the other. */
export function useDeleteArtifacts(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (artifacts: readonly Artifact[]) => {
      for (const { id } of artifacts) {
        await client.deleteArtifact(sessionId, id);
      }
    },
    // Some may be deleted although a later one failed.
    onSettled: () =>
      Promise.all(
        [['sessions', 'artifacts', sessionId], ['usage']].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
