import { Readable } from 'node:stream';
import { ARTIFACT_TYPES, type ArtifactKind } from '../../../contract/http/artifact.ts';
import { ApiError } from '../../../contract/http/errors.ts';
import {
  ArtifactMissingError,
  ArtifactStorageError,
} from '../../../control-plane/artifacts/artifact-files.ts';
import type { ArtifactRow } from '../../../store/artifacts/artifact-store.ts';
import { partOf, type RangeHeaders } from '../../byte-range.ts';
import type { ApiContext } from '../../context.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { FileResponse } from '../../responses.ts';

/** Browsers display these. They save the others, which contain text from apps. */
const INLINE: ReadonlySet<ArtifactKind> = new Set(['video', 'screenshot']);

export interface ContentRequest {
  range: RangeHeaders;
  isHead: boolean;
  /**
   * Whether a link is used. All links to recordings of an account share slots, so that viewers that never finish their
   * downloads prevent neither the account nor other accounts from downloading.
   */
  isShared: boolean;
}

/**
 * The content of an artifact, or the part that the request wants. It takes a slot for downloads until the stream is
 * closed. As RFC 9110 section 14.2 requires, a range has no effect on HEAD.
 * @throws ApiError 40008, 40029, 41600, 50300
 */
export async function contentOf(
  context: Pick<ApiContext, 'artifactFiles' | 'downloads'>,
  { id, kind, name, size, accountId }: ArtifactRow,
  { range, isHead, isShared }: ContentRequest,
): Promise<FileResponse> {
  // The content of an identifier never changes.
  const etag = `"${id}"`;
  const part = isHead ? null : partOf(range, size, etag);
  const facts = { name, size, type: ARTIFACT_TYPES[kind], isInline: INLINE.has(kind), etag, part };
  if (isHead || size === 0) return new FileResponse({ ...facts, bytes: Readable.from([]) });
  using opening = new DisposableStack();
  const [subject, what] = isShared
    ? [`links of ${accountId}`, 'downloads of artifacts through links']
    : [accountId, 'downloads of artifacts'];
  opening.use(reserveSlot(context.downloads, subject, what));
  const wanted = part ?? { start: 0, end: size - 1 };
  const bytes = await context.artifactFiles.read(id, wanted).catch((error: unknown) => {
    throw explain(error, id);
  });
  const open = opening.move();
  bytes.once('close', () => open.dispose());
  return new FileResponse({ ...facts, bytes });
}

function explain(error: unknown, id: string): unknown {
  if (error instanceof ArtifactMissingError)
    return new ApiError(
      'resourceNotFound',
      `the content of artifact ${id} is not in the storage of the service any more; ask an operator for a backup`,
      { kind: 'artifact' },
    );
  if (error instanceof ArtifactStorageError)
    return new ApiError(
      'unavailable',
      'the storage of artifacts is not available; try again shortly',
      {},
      { 'retry-after': '5' },
    );
  return error;
}
