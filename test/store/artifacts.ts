import type { ArtifactFacts, RecordedLease } from '../../src/store/artifacts/artifact-store.ts';
import type { SessionRow } from '../../src/store/entities.ts';
import type { Store } from '../../src/store/store.ts';

export const artifactOf = (name: string, more: Partial<ArtifactFacts> = {}): ArtifactFacts => ({
  ...{ name, kind: 'video', size: 1_000, offsetMs: 0, durationMs: 5_000, width: 1080, height: 2400 },
  ...more,
});

export const recordedLease = ({ id: sessionId, epoch, hostId }: SessionRow): RecordedLease => ({
  ...{ sessionId, epoch, hostId },
});

/** Stores an artifact of a recorded session and returns its id. */
export async function storedArtifact(
  store: Store,
  session: SessionRow,
  facts = artifactOf('video-1.mp4'),
): Promise<string> {
  const outcome = await store.reserveArtifact(recordedLease(session), facts, { maxArtifacts: 200 });
  if (!outcome.ok) throw new Error(`the artifact was rejected: ${outcome.refusal.why}`);
  await store.storeArtifact(outcome.artifact.id);
  return outcome.artifact.id;
}
