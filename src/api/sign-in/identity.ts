import { oneLine } from '../../util/one-line.ts';
import { SignInError } from './problem.ts';

/** Who somebody is, as the provider says. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  groups: string[];
}

/** OpenID Connect Core 1.0, section 2: of `sub`. */
const LONGEST_SUBJECT = 255;
const LONGEST_NAME = 100;

type Claims = Readonly<Record<string, unknown>>;

/**
 * What the claims say, those of the ID token before those of the user info. An address that the provider did not check
 * is not shown: it may be anybody's.
 */
export function identityOf(idToken: Claims, userInfo: Claims, groupsClaim: string): Identity {
  const { iss, sub } = idToken;
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub.length > LONGEST_SUBJECT)
    throw new SignInError('untrusted', new Error('the ID token has no usable iss and sub'));
  const claims = { ...userInfo, ...idToken };
  const email = claims.email_verified === false ? null : text(claims.email);
  const name = text(claims.name) ?? text(claims.preferred_username) ?? email ?? text(sub) ?? sub;
  return { issuer: iss, subject: sub, name, email, groups: groupsOf(claims[groupsClaim]) };
}

function text(claim: unknown): string | null {
  if (typeof claim !== 'string') return null;
  return oneLine(claim, LONGEST_NAME) || null;
}

/** Some providers tell one group as itself. */
function groupsOf(claim: unknown): string[] {
  const groups = Array.isArray(claim) ? claim : [claim];
  return groups.filter((group) => typeof group === 'string');
}
