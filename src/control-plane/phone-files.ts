import { BusError } from '../bus/bus.ts';
import type { FileTask } from '../bus/messages.ts';
import { ApiError, invalidField } from '../contract/http/errors.ts';
import { type PhoneFile, parseSharedPath, SharedPathError, sharedPath } from '../contract/http/phone-file.ts';
import { FileChannel, FileChannelError } from '../link/file-channel.ts';
import type { FileMessage } from '../link/messages.ts';
import type { SessionRow } from '../store/entities.ts';
import { TimeoutError } from '../util/deadline.ts';
import type { ControlPlaneContext } from './context.ts';
import { sanitiseText } from './hosts/sanitise.ts';
import { phoneUnavailable } from './refusal-errors.ts';
import { DialRefusedError, dialError, requestLink } from './request-link.ts';

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
  context: Pick<ControlPlaneContext, 'bus' | 'tickets'>,
  session: SessionRow,
  file: FileTask,
): Promise<FileChannel> {
  try {
    return await requestLink(context, session, {
      purpose: 'file',
      file,
      timeoutMs: DIAL_TIMEOUT_MS,
      late: 'the host of the phone did not connect',
      receive: (link) => new FileChannel(link),
    });
  } catch (error) {
    throw error instanceof DialRefusedError
      ? new ApiError('notSupported', error.message)
      : toFileTaskError(error);
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
    throw toFileTaskError(error);
  });
  if (message instanceof Uint8Array) throw fileTaskFailed('its host sent an unexpected message');
  if (message.type === 'failed') throw fileError(message, path);
  if (message.type !== type) throw fileTaskFailed('its host sent an unexpected message');
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

export const fileTaskFailed = (why: string) => phoneUnavailable('do this', why);

export function toFileTaskError(error: unknown): unknown {
  if (error instanceof BusError && NOT_UNDERSTOOD.test(error.message))
    return new ApiError(
      'notSupported',
      'the host of this phone runs a version without file transfers; ask its operator to upgrade it',
    );
  if (error instanceof BusError) return dialError(error, fileTaskFailed);
  if (error instanceof FileChannelError || error instanceof TimeoutError)
    return fileTaskFailed(`${error.message}; try again`);
  return error;
}

function fileError({ reason, message }: MessageOf<'failed'>, path: string): ApiError {
  const why = sanitiseText(message);
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
      return fileTaskFailed(why);
  }
}
