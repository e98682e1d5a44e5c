import { ServiceError, type ServiceErrorKind } from '../client/service-error.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';

/** Exit codes of the commands. `run` and `shell` exit with the exit code of the program that they ran. */
export const EXIT_CODES = [
  { code: 0, when: 'the command succeeded' },
  { code: 1, when: 'the command failed; one line on standard error says why' },
  { code: 2, when: 'a setting, an argument or the name of the command is invalid' },
  { code: 3, when: 'no phone can be borrowed: all that match are in use, or none matches' },
  { code: 4, when: 'the quota of the account is insufficient' },
  { code: 5, when: 'the session has ended' },
  { code: 6, when: 'the service cannot be reached, or is temporarily unavailable' },
  { code: 7, when: 'the API key is missing, invalid, expired or revoked, or its role does not allow this' },
] as const;

export type ExitCode = (typeof EXIT_CODES)[number]['code'];

const BY_KIND: Partial<Record<ServiceErrorKind, ExitCode>> = {
  invalid: 2,
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
