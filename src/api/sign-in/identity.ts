import { oneLine } from '../../util/one-line.ts';
import { SignInError } from './problem.ts';

/** The identity of a user according to the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  groups: string[];
}

/** OpenID Connect Core 1.0, section 2: maximum length of `sub`. */
const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 100;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Extracts the identity from the claims. Claims of the ID token take precedence over those of the user info. An email
 * address that the provider did not verify is omitted, because it may belong to another person.
 */
export function identityOf(idToken: Claims, userInfo: Claims, groupsClaim: string): Identity {
  const { iss, sub } = idToken;
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub.length > MAX_SUBJECT_LENGTH)
    throw new SignInError(
      'untrusted',
      new Error(`the ID token must have iss, and sub of at most ${MAX_SUBJECT_LENGTH} characters`),
    );
  const claims = { ...userInfo, ...idToken };
  const email = claims.email_verified === false ? null : text(claims.email);
  const name = text(claims.name) ?? text(claims.preferred_username) ?? email ?? text(sub) ?? sub;
  return { issuer: iss, subject: sub, name, email, groups: groupsOf(claims[groupsClaim]) };
}

function text(claim: unknown): string | null {
  if (typeof claim !== 'string') return null;
  return oneLine(claim, MAX_NAME_LENGTH) || null;
}

/** Some providers send a single group as a string instead of an array. */
function groupsOf(claim: unknown): string[] {
  const groups = Array.isArray(claim) ? claim : [claim];
  return groups.filter((group) => typeof group === 'string');
}
