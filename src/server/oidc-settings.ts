import { ROLES, type Role } from '../contract/http/key.ts';
import { ANY_GROUP, type GroupRule } from '../domain/group-access.ts';
import { isLoopback } from '../util/loopback.ts';

/** Parsers for the sign-in settings; see setting-values.ts for the conventions. */

/** Authorization codes and keys pass through this URL, so plain HTTP is allowed only on loopback addresses. */
function safeUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password || url.search || url.hash) return null;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? url : null;
}

export function publicUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = safeUrl(text);
  if (url?.pathname !== '/') {
    throw new Error(
      'must be an origin such as https://phones.example.com; http:// is only allowed for this machine',
    );
  }
  return url.origin;
}

export function issuer(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!safeUrl(text)) {
    throw new Error(
      'must be a URL such as https://id.example.com/realms/staff; http:// is only allowed for this machine',
    );
  }
  return text;
}

export function visibleText(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[^\p{Cc}]{1,200}$/u.test(text) || text.trim() === '')
    throw new Error('must be 1 to 200 characters on one line');
  return text.trim();
}

/** The value is a secret: messages must not contain it. */
export function secretText(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[\x21-\x7e]{1,1000}$/.test(text)) throw new Error('must be 1 to 1000 visible ASCII characters');
  return text;
}

export function claim(initial: string) {
  return (text: string | undefined) => visibleText(text) ?? initial;
}

export function scopes(text: string | undefined): string {
  const wanted = (text ?? 'openid profile email').split(/[ ,]+/).filter((scope) => scope !== '');
  if (!wanted.includes('openid') || wanted.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)))
    throw new Error('must be scopes separated by spaces, including openid');
  return wanted.join(' ');
}

/**
 * `group=account:role`, separated by commas; the role is optional. A group name may contain `=`, and an account name
 * `:`.
 */
export function groupRules(text: string | undefined): GroupRule[] | null {
  if (text === undefined) return null;
  const rules = text.split(',').map((entry) => ruleOf(entry.trim()));
  rules.forEach(({ group }, at) => {
    if (rules.findIndex((rule) => rule.group === group) !== at)
      throw new Error(`must not contain a group twice: ${JSON.stringify(group)}`);
    if (group === ANY_GROUP && at < rules.length - 1)
      throw new Error('must have * as the last entry, because it matches everyone');
  });
  return rules;
}

function ruleOf(entry: string): GroupRule {
  const [, group, right = ''] = /^(.+)=(.+)$/.exec(entry) ?? [];
  const [, named = right, word] = /^(.+):([^:]*)$/.exec(right) ?? [];
  const role = (word ?? 'user').trim();
  const account = named.trim();
  if (!group?.trim() || !/^[^\p{Cc}]{1,100}$/u.test(account)) {
    throw new Error(
      `must be group=account or group=account:role, separated by commas, not ${JSON.stringify(entry)}`,
    );
  }
  if (!isRole(role))
    throw new Error(`must contain only the roles ${ROLES.join(', ')}, not ${JSON.stringify(role)}`);
  return { group: group.trim(), account, role };
}

const isRole = (word: string): word is Role => ROLES.some((role) => role === word);
