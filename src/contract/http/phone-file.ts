import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { sessionParams } from './session.ts';

/** The folder of a phone whose files can be transferred. */
export const SHARED_STORAGE = '/sdcard';

/** The capability of a device whose files can be transferred. It is listed beside the control methods. */
export const FILES_CAPABILITY = 'files';

export const FILE_MEDIA_TYPES = ['application/octet-stream'] as const;

/** Maximum number of entries in the list of a folder. */
export const MAX_LISTED_FILES = 1_000;

/** Folders that only Android and the app that owns them access. Their files exist as long as the app. */
const APP_FOLDERS = ['data', 'obb', 'sandbox'];
const MAX_PATH_LENGTH = 1_024;
const MAX_DEPTH = 32;
/** NAME_MAX of Linux, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

/** Prefix and suffix of the temporary name of a file that is being written. Such files are not listed. */
const PARTIAL = /^\.phonebooth-[0-9a-f]{16}\.part$/;
export const partialName = (hex: string) => `.phonebooth-${hex}.part`;
export const isPartialName = (name: string) => PARTIAL.test(name);

/** A path that does not name a file of the shared storage. The message says what is expected. */
export class SharedPathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SharedPathError';
  }
}

/**
 * Normalises the path of a file or folder in the shared storage: absolute below `/sdcard`, or relative to it. Returns
 * its names, which are empty for `/sdcard` itself.
 * @throws SharedPathError
 */
export function parseSharedPath(text: string): string[] {
  if (text.length > MAX_PATH_LENGTH)
    throw new SharedPathError(`must have at most ${MAX_PATH_LENGTH} characters`);
  if (!text.isWellFormed() || /[\p{Cc}\u2028\u2029]/u.test(text))
    throw new SharedPathError('must not contain control characters');
  const isAbsolute = text.startsWith('/');
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > MAX_DEPTH) throw new SharedPathError(`must have at most ${MAX_DEPTH} names`);
  if (names.includes('..')) throw new SharedPathError('must not contain ".."');
  if (isAbsolute && names.shift() !== SHARED_STORAGE.slice(1))
    throw new SharedPathError(
      `must be below ${SHARED_STORAGE}, such as ${SHARED_STORAGE}/Download/photo.jpg`,
    );
  const utf8 = new TextEncoder();
  if (names.some((name) => utf8.encode(name).length > MAX_NAME_BYTES))
    throw new SharedPathError(`must not contain names of more than ${MAX_NAME_BYTES} bytes`);
  if (names.some(isPartialName)) throw new SharedPathError('names a file that is being written');
  if (isOfApp(names))
    throw new SharedPathError(
      `must not be below ${SHARED_STORAGE}/Android/data or ${SHARED_STORAGE}/Android/obb, which belong to apps`,
    );
  return names;
}

/** Shared storage ignores case and invisible characters in names (Android 11 and newer, f2fs casefolding). */
function isOfApp([first = '', second = '']: string[]): boolean {
  const folded = (name: string) =>
    name
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toLowerCase();
  return folded(first) === 'android' && APP_FOLDERS.includes(folded(second));
}

export const sharedPath = (names: readonly string[]) => [SHARED_STORAGE, ...names].join('/');

/** Why an operation on a file cannot be performed. `outside`: the path leads out of the shared storage. */
export const PHONE_FILE_FAILURES = [
  'not_found',
  'exists',
  'not_a_file',
  'not_a_folder',
  'not_empty',
  'outside',
  'no_space',
  'busy',
] as const;
export type PhoneFileFailure = (typeof PHONE_FILE_FAILURES)[number];

export const PHONE_FILE_KINDS = ['file', 'folder'] as const;
export type PhoneFileKind = (typeof PHONE_FILE_KINDS)[number];

export const PhoneFile = Type.Object(
  {
    path: Type.String({ description: 'Absolute path on the phone' }),
    name: Type.String({ description: 'Last name of the path' }),
    kind: Type.Enum([...PHONE_FILE_KINDS]),
    size: nullable(Type.Integer({ minimum: 0, description: 'Size in bytes' }), 'null for a folder'),
    modified_at: nullable(timestamp('Time of the last change'), 'null if the phone does not report it'),
  },
  { title: 'PhoneFile' },
);
export type PhoneFile = Static<typeof PhoneFile>;

export const PhoneFolder = Type.Object(
  {
    path: Type.String({ description: 'Absolute path of the folder on the phone' }),
    items: Type.Array(PhoneFile, {
      description: `Folders first, then files, by name; at most ${MAX_LISTED_FILES}`,
    }),
    has_more: Type.Boolean({ description: 'Whether the folder contains more than the items' }),
  },
  { title: 'PhoneFolder' },
);
export type PhoneFolder = Static<typeof PhoneFolder>;

const path = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_PATH_LENGTH,
    description: `Path of the ${what}, below ${SHARED_STORAGE} or relative to it`,
  });

const errors = [
  'sessionNotFound',
  'resourceNotFound',
  'sessionEnded',
  'sessionNotConnected',
  'notSupported',
] as const;

export const phoneFileOperations = {
  'sessions.files.list': {
    method: 'GET',
    path: '/sessions/{session_id}/files',
    summary: 'List a folder in the shared storage of a phone',
    access: 'read',
    params: sessionParams,
    query: strict({ path: Type.Optional({ ...path('folder'), default: SHARED_STORAGE }) }),
    body: none,
    answer: PhoneFolder,
    errors: [...errors],
  },
  'sessions.files.pull': {
    method: 'GET',
    path: '/sessions/{session_id}/files/content',
    summary: 'Download a file from the shared storage of a phone',
    description:
      'The response is streamed. Its `Content-Length` is the size of the file; if the transfer fails, the connection ' +
      'is closed before that many bytes.',
    access: 'read',
    params: sessionParams,
    query: strict({ path: path('file') }),
    body: none,
    answer: 'application/octet-stream',
    errors: [...errors],
  },
  'sessions.files.push': {
    method: 'PUT',
    path: '/sessions/{session_id}/files/content',
    summary: 'Upload a file to the shared storage of a phone',
    description:
      'Creates missing folders. The file appears under its name when it is complete. Pictures and videos appear in ' +
      'the gallery. The file is removed when the phone is cleaned after the session.',
    access: 'borrow',
    params: sessionParams,
    query: strict({
      path: path('file'),
      overwrite: Type.Optional(
        Type.Enum(['true', 'false'], {
          default: 'false',
          description: 'Whether to replace a file that exists; otherwise the request fails with 40018',
        }),
      ),
    }),
    body: none,
    upload: FILE_MEDIA_TYPES,
    uploadLimit: 'PHONEBOOTH_MAX_FILE_SIZE',
    answer: PhoneFile,
    errors: [...errors, 'fileExists'],
  },
  'sessions.files.delete': {
    method: 'DELETE',
    path: '/sessions/{session_id}/files',
    summary: 'Delete a file, or an empty folder, in the shared storage of a phone',
    access: 'borrow',
    params: sessionParams,
    query: strict({ path: path('file or folder') }),
    body: none,
    answer: Type.Object({}),
    errors: [...errors],
  },
} as const satisfies Record<string, Operation>;
