import type { BusRequests } from '../../bus/messages.ts';
import { ARTIFACT_TYPES, MAX_ARTIFACTS_PER_SESSION } from '../../contract/http/artifact.ts';
import { FileChannel, FileChannelError } from '../../link/file-channel.ts';
import type { Link } from '../../link/link.ts';
import type { ArtifactRow, ReserveArtifactOutcome } from '../../store/artifacts/artifact-store.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import { startDeadline } from '../../util/deadline.ts';
import { LogThrottle } from '../../util/log-throttle.ts';
import { ArtifactStorageError } from '../artifacts/artifact-files.ts';
import type { ControlPlaneContext } from '../context.ts';
import { announceRecording } from '../session-changes.ts';
import { sanitiseText } from './sanitise.ts';

type Artifact = BusRequests['control-plane.artifact'];
type Recorded = BusRequests['control-plane.recorded'];
type Context = Pick<
  ControlPlaneContext,
  'store' | 'artifactFiles' | 'artifactUploads' | 'diskReserveBytes' | 'tickets' | 'log' | 'meter'
>;

/** A host dials immediately after its request. */
const DIAL_TIMEOUT_MS = 15_000;
/** A slower upload is aborted, so that a host cannot occupy a slot indefinitely. */
const MIN_BYTES_PER_SECOND = 64 * 1024;
const UPLOAD_TIMEOUT_MS = 120_000;
/** Maximum duration of an upload of any size. */
export const MAX_UPLOAD_MS = 12 * 3_600_000;
const MIB = 1024 * 1024;
/** A larger size is an error of the host. A session of a day has less than 100 GB. */
const MAX_BYTES = 1024 ** 4;
const throttle = new LogThrottle();
/** The free space is checked again after this many bytes. Each concurrent upload can exceed the reserve by as much. */
const CHECK_EVERY_BYTES = 16 * MIB;

/**
 * Handles a host's request to upload an artifact of a lease that it serves or served. An error is temporary, so the
 * host repeats the request later. `refused` is final.
 */
export async function handleArtifactRequest(
  context: Context,
  { sessionId, epoch, artifact: facts }: Artifact['request'],
  hostId: string,
): Promise<Artifact['response']> {
  const { store, artifactUploads, tickets } = context;
  if (facts.size > MAX_BYTES) return { refused: `artifact.size must be at most ${MAX_BYTES} bytes` };
  const limits = { maxArtifacts: MAX_ARTIFACTS_PER_SESSION };
  const outcome = await store.reserveArtifact({ sessionId, epoch, hostId }, facts, limits);
  if (!outcome.ok) {
    context.meter.artifactReceived('refused', 0);
    const { refusal } = outcome;
    const refused = whyRefused(refusal, sessionId);
    return refusal.why === 'quota' ? { refused, room: refusal.room } : { refused };
  }
  const { artifact } = outcome;
  // The content of an artifact of 0 bytes has been deleted.
  if (outcome.isStored) return { isStored: true, ...(artifact.size > 0 && { storedBytes: artifact.size }) };
  await checkSpace(context, artifact.size).catch((error: unknown) => {
    context.meter.artifactReceived('failed', 0);
    throttle.log(hostId, (suppressed) =>
      context.log.warn({ err: error, hostId, suppressed }, 'upload of an artifact rejected'),
    );
    throw error;
  });
  const release = artifactUploads.reserve(hostId);
  if (typeof release === 'string')
    throw new Error(
      release === 'full'
        ? 'too many uploads of artifacts are in progress; try again shortly'
        : `this host has ${artifactUploads.perSubject} uploads of artifacts in progress; wait for one to end`,
    );
  const { ticket, cancel } = tickets.issue({ sessionId, epoch, purpose: 'artifact' }, (link) => {
    clearTimeout(expiry);
    void receiveArtifact(context, { link, artifact, hostId }).finally(release);
  });
  const expiry = setTimeout(() => {
    cancel();
    release();
  }, DIAL_TIMEOUT_MS).unref();
  return { ingest: tickets.ingest, ticket };
}

/**
 * Handles a host's message that it has uploaded all artifacts of a recording, or that some were rejected. A message about
 * a lease of another host, or about a session that is not recorded, changes nothing.
 */
export async function handleRecorded(
  context: Pick<ControlPlaneContext, 'store' | 'bus' | 'log'>,
  { sessionId, epoch, detail }: Recorded['request'],
  hostId: string,
): Promise<Recorded['response']> {
  const session = await context.store.finishRecording({ sessionId, epoch, hostId }, sanitiseText(detail));
  if (session) announceRecording(context, session);
  return {};
}

type Refusal = Extract<ReserveArtifactOutcome, { ok: false }>['refusal'];

function whyRefused(refusal: Refusal, sessionId: string): string {
  switch (refusal.why) {
    case 'no-recording':
      return `this host has no recording of session ${sessionId} with this epoch`;
    case 'finished':
      return `the recording of session ${sessionId} is finished, and the artifact was deleted afterwards`;
    case 'too-many':
      return `the session has ${MAX_ARTIFACTS_PER_SESSION} artifacts, which is the limit`;
    case 'quota': {
      const { limit, used, requested } = refusal.shortfall;
      return (
        `the artifact has ${requested} bytes, and the account’s artifacts use ${used} of ${limit} ` +
        '(max_artifact_bytes); delete some that are no longer needed'
      );
    }
  }
}

/** @throws ArtifactStorageError when `bytes` more would leave less free space than the reserve */
async function checkSpace(
  { artifactFiles, diskReserveBytes }: Pick<Context, 'artifactFiles' | 'diskReserveBytes'>,
  bytes: number,
): Promise<void> {
  const free = await artifactFiles.freeBytes();
  if (free === null || free - bytes >= diskReserveBytes) return;
  throw new ArtifactStorageError(
    `the storage of artifacts has ${Math.floor(free / MIB)} MB left, and ${Math.round(diskReserveBytes / MIB)} MB ` +
      'must stay free (PHONEBOOTH_DISK_RESERVE); the upload is repeated later',
  );
}

interface Upload {
  link: Link;
  artifact: ArtifactRow;
  hostId: string;
}

/** Never throws. Receives the content on the link, stores it, and sends the outcome to the host. */
async function receiveArtifact(context: Context, { link, artifact, hostId }: Upload): Promise<void> {
  const { log, meter } = context;
  using channel = new FileChannel(link);
  const { size } = artifact;
  const timeoutMs = Math.min(MAX_UPLOAD_MS, UPLOAD_TIMEOUT_MS + (size / MIN_BYTES_PER_SECOND) * 1000);
  const stopDeadline = startDeadline(timeoutMs, () => link.close());
  try {
    await storeContent(context, channel, artifact);
    meter.artifactReceived('stored', size);
    channel.send({ type: 'written', size, modifiedAt: null });
    await channel.closed();
  } catch (error) {
    meter.artifactReceived('failed', 0);
    const { id: artifactId, sessionId } = artifact;
    const fields = { err: error, artifactId, sessionId, hostId };
    logUnlessOutage(log, 'warn', fields, 'upload of an artifact failed');
    if (error instanceof FileChannelError) return;
    const message =
      error instanceof ArtifactStorageError ? error.message : 'the artifact could not be stored';
    channel.send({ type: 'failed', reason: 'failed', message });
    await channel.closed();
  } finally {
    stopDeadline();
  }
}

/** The row is stored after the content, so that the content of every listed artifact exists. */
async function storeContent(context: Context, channel: FileChannel, artifact: ArtifactRow): Promise<void> {
  const { store, artifactFiles } = context;
  const { id, size, kind } = artifact;
  const content = checked(context, channel.receiveBytes(), size);
  await artifactFiles.write(id, content, { size, type: ARTIFACT_TYPES[kind] });
  if (await store.storeArtifact(id)) return;
  await artifactFiles.remove(id);
  throw new ArtifactStorageError('the artifact was deleted during its upload');
}

/** Ends with an error when there are more bytes than announced, or when too little space would be left. */
async function* checked(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let unchecked = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    unchecked += chunk.length;
    if (received > size) break;
    if (unchecked >= CHECK_EVERY_BYTES) {
      unchecked = 0;
      await checkSpace(context, 0);
    }
    yield chunk;
  }
  if (received !== size)
    throw new ArtifactStorageError(
      `${received > size ? 'more than' : `${received} of`} ${size} announced bytes were received`,
    );
}
