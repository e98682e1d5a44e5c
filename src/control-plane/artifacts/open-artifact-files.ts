import type { Log } from '../../util/log.ts';
import type { ArtifactFiles } from './artifact-files.ts';
import { ArtifactFolder } from './artifact-folder.ts';
import type { BucketSettings } from './bucket-client.ts';

/**
 * Opens the storage of artifacts: the bucket, or else the folder. A bucket that cannot be used is logged and does not
 * prevent the start, because it may be available later.
 */
export async function openArtifactFiles(
  { artifactsDir, artifactBucket }: { artifactsDir: string; artifactBucket: BucketSettings | null },
  log: Pick<Log, 'error'>,
): Promise<ArtifactFiles> {
  if (artifactBucket === null) return ArtifactFolder.open(artifactsDir);
  const { ArtifactBucket } = await import('./artifact-bucket.ts');
  const bucket = new ArtifactBucket(artifactBucket);
  await bucket.check().catch((error: unknown) => {
    log.error(
      { err: error },
      'the bucket of PHONEBOOTH_ARTIFACTS_BUCKET is not available; artifacts cannot be stored or downloaded until it is',
    );
  });
  return bucket;
}
