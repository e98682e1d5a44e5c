import { ServiceError, type ServiceErrorKind } from '../client/service-error.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';

/** What a command ends with; `run` and `shell` end with the code of what they ran instead. */
export const EXIT_CODES = [
  { code: 0, when: 'it is done' },
  { code: 1, when: 'it failed; standard error says why, in one line' },
  { code: 2, when: 'it was asked wrongly: a bad setting, argument or command' },
  { code: 3, when: 'no phone is to be had: in use, none in time, or none that matches' },
  { code: 4, when: 'the account has too few minutes, or too many sessions' },
  { code: 5, when: 'the session has ended' },
  { code: 6, when: 'the service cannot be reached, or is out of service for a moment' },
  { code: 7, when: 'the key is missing, wrong, expired or revoked, or its role may not do this' },
] as const;

export type ExitCode = (typeof EXIT_CODES)[number]['code'];

const BY_KIND: Partial<Record<ServiceErrorKind, ExitCode>> = {
  deviceUnavailable: 3,
  deviceNotFound: 3,
  quotaExceeded: 4,
  sessionEnded: 5,
  unreachable: 6,
  unavailable: 6,
  rateLimited: 6,
  unauthorized: 7,
  forbidden: 7,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof SessionEndedError) return 5;
  return (error instanceof ServiceError && BY_KIND[error.kind]) || 1;
}

export const exitCodesHelp = () =>
  `\nExit codes:\n${EXIT_CODES.map(({ code, when }) => `  ${code}  ${when}`).join('\n')}`;
