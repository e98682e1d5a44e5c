import { implement } from '../../implement.ts';
import { contentOf } from './artifact-content.ts';
import { artifactNotFound } from './artifact-view.ts';

export const getArtifact = implement('sessions.artifacts.get', async (context, call) => {
  const { accountId } = call.principal;
  const query = { artifactId: call.params.artifact_id, sessionId: call.params.session_id, accountId };
  const artifact = await context.store.getArtifact(query);
  if (!artifact) throw await artifactNotFound(context, query);
  return contentOf(context, artifact, { range: call.range, isHead: call.isHead, isShared: false });
});
