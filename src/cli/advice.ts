import { ServiceError } from '../client/service-error.ts';
import { printable } from './output.ts';

/** Error codes of Node for a certificate whose authority is not trusted. */
const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

const USE_HTTP = 'Use http:// instead of https:// in --url or PHONEBOOTH_URL.';

const ADVICE: Record<string, string> = {
  ...Object.fromEntries(
    UNKNOWN_AUTHORITY.map((code) => [
      code,
      'Set NODE_EXTRA_CA_CERTS to the PEM file of the certificate authority that issued it.',
    ]),
  ),
  CERT_HAS_EXPIRED: 'Ask the operator to renew it, and check the clock of this machine.',
  CERT_NOT_YET_VALID: 'Check the clock of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a host name of the certificate in --url or PHONEBOOTH_URL.',
  ERR_SSL_WRONG_VERSION_NUMBER: USE_HTTP,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: USE_HTTP,
};

/** Returns the message of an error, with what the user can do about a request or a file operation that failed. */
export const withAdvice = (error: unknown): string => printable(messageOf(error));

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isFileError(error)) return fileMessage(error);
  if (!(error instanceof ServiceError)) return error.message;
  const message = error.kind === 'invalid' ? withoutFieldNames(error.message) : error.message;
  const advice = adviceFor(error);
  return advice === null ? message : `${message}. ${advice}`;
}

/** The arguments of commands whose fields of the API have other names. */
const ARGUMENTS: Record<string, string> = {
  duration: 'minutes',
  expires_in: 'minutes',
  app_id: 'app',
  url: 'address',
};

/** `body.font_scale must be …` becomes `font-scale must be …`, as the user knows the argument. */
const withoutFieldNames = (message: string): string =>
  message.replaceAll(/\b(?:body|query)\.([a-z_]+)/g, (_, field: string) =>
    (ARGUMENTS[field] ?? field).replaceAll('_', '-'),
  );

interface FileError extends NodeJS.ErrnoException {
  path: string;
}

const isFileError = (error: NodeJS.ErrnoException): error is FileError =>
  error.code !== undefined && error.path !== undefined && /^[a-z]+$/.test(error.syscall ?? '');

/** Node's own message is `ENOENT: no such file or directory, open '/no/such/folder/screen.png'`. */
function fileMessage({ message, path, syscall }: FileError): string {
  const reason = message.replace(/^[A-Z0-9]+: /, '').replace(/, [a-z]+ '.*$/, '');
  const action = syscall === 'mkdir' ? 'create the folder' : 'open';
  return `cannot ${action} ${path}: ${reason}. Check the path and its permissions.`;
}

function adviceFor(error: ServiceError): string | null {
  if (error.kind === 'unreachable') return ADVICE[codeOf(error)] ?? 'Check --url or PHONEBOOTH_URL.';
  if (error.kind === 'unauthorized') return 'Check PHONEBOOTH_API_KEY.';
  return null;
}

/** Returns the code of the first error in the chain of causes that has one. */
function codeOf(error: Error): string {
  for (let at: unknown = error.cause; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}
