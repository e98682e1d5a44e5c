import { ServiceError } from '../client/service-error.ts';

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

/** Returns the message of an error, with what the user can do about a request that failed. */
export function withAdvice(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof ServiceError ? adviceFor(error) : null;
  return advice === null ? message : `${message}. ${advice}`;
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
