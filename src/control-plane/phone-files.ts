import { BusError } from '../bus/bus.ts';
import type { FileTask } from '../bus/messages.ts';
import { ApiError, invalidField } from '../contract/http/errors.ts';
import { type PhoneFile, parseSharedPath, SharedPathError, sharedPath } from '../contract/http/phone-file.ts';
import { FileChannel, FileChannelError } from '../link/file-channel.ts';
import type { Link } from '../link/link.ts';
import type { FileMessage } from '../link/messages.ts';
import type { SessionRow } from '../store/entities.ts';
import { TimeoutError, withDeadline } from '../util/deadline.ts';
import type { ControlPlaneContext } from './context.ts';
import { words } from './hosts/sanitise.ts';
import { sessionNotConnected } from './refusal-errors.ts';

/** A host dials as soon as it receives the request. */
const DIAL_TIMEOUT_MS = 15_000;
/** The answer of a host of an earlier version, which does not know the purpose (bus/nats-serving.ts). */
const NOT_UNDERSTOOD = /is not a valid host\.dial/;

type MessageOf<T extends FileMessage['type']> = Extract<FileMessage, { type: T }>;

/**
 * Starts an operation on the files of a connected session's phone. The caller must dispose of the channel.
 * @throws ApiError 40014 when the host does not serve the session yet, 40019 when the phone or its host does not
 * support files, 50300 when the host cannot be reached
 */
export async function startFileTask(
  { bus, tickets }: Pick<ControlPlaneContext, 'bus' | 'tickets'>,
  { id: sessionId, epoch, hostId }: SessionRow,
  file: FileTask,
): Promise<FileChannel> {
  const want = { sessionId, epoch, purpose: 'file' as const };
  const arrival = Promise.withResolvers<Link>();
  const { ticket, cancel } = tickets.issue(want, arrival.resolve);
  const request = { ...want, ingest: tickets.ingest, ticket, file };
  const dial = async () => {
    const { refused } = await bus.request('host.dial', hostId, request, { timeoutMs: DIAL_TIMEOUT_MS });
    if (refused !== undefined) throw new ApiError('notSupported', words(refused)!);
    return new FileChannel(await arrival.promise);
  };
  try {
    return await withDeadline(dial(), DIAL_TIMEOUT_MS, 'the host of the phone did not connect');
  } catch (error) {
    void arrival.promise.then((link) => link.close());
    throw explain(error);
  } finally {
    cancel();
  }
}

/**
 * The next message of the host, of the expected type.
 * @throws ApiError with the reason of a failure
 */
export async function expectMessage<T extends FileMessage['type']>(
  channel: FileChannel,
  type: T,
  path: string,
): Promise<MessageOf<T>> {
  const message = await channel.next().catch((error: unknown) => {
    throw explain(error);
  });
  if (message instanceof Uint8Array) throw failed('its host sent an unexpected message');
  if (message.type === 'failed') throw fileError(message, path);
  if (message.type !== type) throw failed('its host sent an unexpected message');
  return message as MessageOf<T>;
}

/** The names of a path that a client sent. @throws ApiError 40000 */
export function pathOf(text: string): string[] {
  try {
    return parseSharedPath(text);
  } catch (error) {
    if (error instanceof SharedPathError) throw invalidField('query.path', error.message);
    throw error;
  }
}

/** A file as the API describes it. A host may send any time, and `Date` accepts only some. */
export function toPhoneFile(
  names: readonly string[],
  { kind, size, modifiedAt }: { kind: PhoneFile['kind']; size: number; modifiedAt: number | null },
): PhoneFile {
  const time = new Date(modifiedAt ?? Number.NaN);
  return {
    path: sharedPath(names),
    name: names.at(-1) ?? sharedPath([]).slice(1),
    kind,
    size: kind === 'file' ? size : null,
    modified_at: Number.isNaN(time.getTime()) ? null : time.toISOString(),
  };
}

export const failed = (why: string) =>
  new ApiError('unavailable', `the phone could not do this: ${why}`, {}, { 'retry-after': '2' });

export function explain(error: unknown): unknown {
  if (error instanceof BusError && error.kind === 'failed') {
    return NOT_UNDERSTOOD.test(error.message)
      ? new ApiError(
          'notSupported',
          'the host of this phone runs a version without file transfers; ask its operator to upgrade it',
        )
      : sessionNotConnected();
  }
  if (error instanceof BusError) {
    return failed(
      error.kind === 'timeout'
        ? 'its host did not answer in time; try again'
        : 'its host cannot be reached; try again later',
    );
  }
  if (error instanceof FileChannelError || error instanceof TimeoutError)
    return failed(`${error.message}; try again`);
  return error;
}

function fileError({ reason, message }: MessageOf<'failed'>, path: string): ApiError {
  const why = words(message)!;
  switch (reason) {
    case 'not_found':
      return new ApiError('resourceNotFound', `${path} does not exist on the phone`, { kind: 'file' });
    case 'exists':
      return new ApiError('fileExists', `${path} exists already; send overwrite=true to replace it`);
    case 'not_a_file':
    case 'not_a_folder':
    case 'not_empty':
    case 'outside':
      return invalidField('query.path', why);
    case 'no_space':
      return new ApiError('bodyTooLarge', why);
    case 'busy':
      return new ApiError('rateLimited', why, {}, { 'retry-after': '2' });
    case 'failed':
      return failed(why);
  }
}
