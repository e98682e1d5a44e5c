import { logUnlessOutage } from '../../../store/outage-log.ts';
import type { ApiContext } from '../../context.ts';
import { implement } from '../../implement.ts';
import { artifactNotFound } from './artifact-view.ts';

export const deleteArtifact = implement('sessions.artifacts.delete', async (context, call) => {
  const { session_id: sessionId, artifact_id: artifactId } = call.params;
  const query = { artifactId, sessionId, accountId: call.principal.accountId };
  const deleted = await context.store.deleteArtifact(query, call.audit);
  if (!deleted) throw await artifactNotFound(context, query);
  // If the removal fails, a periodic task repeats it.
  await removeContent(context, deleted.id).catch((err: unknown) =>
    logUnlessOutage(
      context.log,
      'warn',
      { err, artifactId },
      'content of a deleted artifact could not be removed; retrying',
    ),
  );
  return {};
});

async function removeContent({ store, artifactFiles }: ApiContext, artifactId: string): Promise<void> {
  await artifactFiles.remove(artifactId);
  await store.purgeArtifacts([artifactId]);
}
