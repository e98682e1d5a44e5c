import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { SignInProblem } from '../../contract/http/sign-in.ts';

/** A sign-in failed. The browser receives the problem, and the log the cause. */
export class SignInError extends Error {
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, cause?: unknown) {
    super(`sign-in: ${problem}`, { cause });
    this.name = 'SignInError';
    this.problem = problem;
  }
}

const PROBLEM_BY_AUTHORIZATION_ERROR: Record<string, SignInProblem> = {
  access_denied: 'denied',
  login_required: 'denied',
  consent_required: 'denied',
  interaction_required: 'denied',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
};

/** Error codes of oauth4webapi, on which openid-client is based. */
const PROBLEM_BY_CLIENT_ERROR: Record<string, SignInProblem> = {
  OAUTH_TIMEOUT: 'unreachable',
  OAUTH_ABORT: 'unreachable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'unreachable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'unreachable',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
};

/** Classifies an error of openid-client. */
export function problemOf(error: unknown): SignInProblem {
  if (error instanceof AuthorizationResponseError)
    return PROBLEM_BY_AUTHORIZATION_ERROR[error.error] ?? 'misconfigured';
  if (error instanceof ResponseBodyError)
    return error.error === 'invalid_grant' ? 'expired' : 'misconfigured';
  // The client secret is wrong, or the provider does not know the client.
  if (error instanceof WWWAuthenticateChallengeError) return 'misconfigured';
  if (error instanceof ClientError) return PROBLEM_BY_CLIENT_ERROR[error.code ?? ''] ?? 'untrusted';
  // A failed fetch.
  if (error instanceof TypeError && error.cause instanceof Error) return 'unreachable';
  return 'untrusted';
}

/** Extracts what may be logged of an error. Other properties of the library's errors may contain codes or tokens. */
export function describeCause(error: unknown): { reason: string; detail: string | null } {
  const { message } = error as Error;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return { reason: error.error, detail: error.error_description?.slice(0, 300) ?? null };
  }
  const { cause } = error as Error;
  return { reason: message, detail: cause instanceof Error ? cause.message : null };
}
