import { sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';
import { toArtifact } from './artifact-view.ts';

export const listArtifacts = implement(
  'sessions.artifacts.list',
  async ({ store }, { principal, params }) => {
    const { session_id: sessionId } = params;
    const artifacts = await store.listArtifacts({ sessionId, accountId: principal.accountId });
    if (!artifacts) throw sessionNotFound(sessionId);
    return { items: artifacts.map(toArtifact) };
  },
);
