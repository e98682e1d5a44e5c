import { ARTIFACT_TYPES, type Artifact } from '../../../contract/http/artifact.ts';
import { iso } from '../../../control-plane/iso.ts';
import { resourceNotFound, sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import type { ArtifactRow } from '../../../store/artifacts/artifact-store.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { ApiContext } from '../../context.ts';

export function toArtifact(row: ArtifactRow): Artifact {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    type: ARTIFACT_TYPES[row.kind],
    size: row.size,
    offset_ms: row.offsetMs,
    duration_ms: row.durationMs,
    // A host may report a picture without a size.
    width: row.width || null,
    height: row.height || null,
    created_at: iso(row.createdAt),
    url: `${BASE_PATH}/sessions/${encodeURIComponent(row.sessionId)}/artifacts/${encodeURIComponent(row.id)}`,
  };
}

/** The error for an artifact that the account does not have: 40005 if it has no such session either, else 40008. */
export async function artifactNotFound(
  { store }: Pick<ApiContext, 'store'>,
  { artifactId, sessionId, accountId }: { artifactId: string; sessionId: string; accountId: string },
): Promise<Error> {
  const session = await store.getSession(sessionId, accountId);
  return session ? resourceNotFound('artifact', artifactId) : sessionNotFound(sessionId);
}
