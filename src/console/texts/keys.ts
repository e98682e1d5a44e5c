import type { Role } from '../../contract/http/key.ts';
import { count } from './count.ts';

/** Texts about keys: the user's own, and those that operators create for accounts. */
export const keyTexts = {
  title: 'Keys',
  subtitle: 'With a key, a program or a person borrows phones on this account.',
  viewerOnly:
    'Your key may look, but neither make keys nor revoke them. Ask for a key with the role “user” to do that.',
  caption: (account: string) => `Keys of ${account}`,
  create: 'New key',
  name: 'Name',
  role: 'Role',
  created: 'Made',
  lastUsed: 'Last use',
  expires: 'Expires',
  state: 'State',
  actions: 'Actions',
  current: 'Yours now',
  valid: 'Valid',
  revoked: 'Revoked',
  expired: 'Expired',
  never: 'Never',
  roles: { viewer: 'Viewer', user: 'User', admin: 'Admin' } satisfies Record<Role, string>,
  roleMeaning: {
    viewer: 'May look at phones and sessions, but not borrow any.',
    user: 'May borrow phones, upload apps and make keys.',
    admin: 'May do all that, and run the service: phones, hosts, accounts.',
  } satisfies Record<Role, string>,
  none: 'No keys yet',
  noneText: 'Make one, and give it to the program or the person that is to borrow phones.',

  createTitle: (account: string | null) => (account === null ? 'New key' : `New key for ${account}`),
  nameHint: 'What it is for, such as “nightly tests”.',
  nameMissing: 'Give it a name, so that you know it again later.',
  expiry: 'Valid for',
  expiryChoices: [
    ['7', '7 days'],
    ['30', '30 days'],
    ['90', '90 days'],
    ['365', '1 year'],
    ['', 'Until it is revoked'],
  ],
  expiryDays: (days: number) => count(days, 'day', 'days'),
  noLifetime:
    'The key that you are signed in with expires too soon to create keys. Sign in again to create one.',
  createSubmit: 'Make the key',

  madeTitle: (name: string) => `The key “${name}”`,
  madeOnce: 'Copy it now. It is not shown again, here or anywhere: of the key itself only a hash is kept.',
  madeField: 'API key',
  copy: 'Copy the key',
  copied: 'The key is copied.',
  close: 'I have it',
  lost: 'The key was made, but the answer with it was lost. Revoke it in the list, and make another one.',

  revoke: 'Revoke',
  revokeOne: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeExplain: (prefix: string) =>
    `Whatever uses ${prefix}… is refused from now on, and the sessions that it began end at once. This cannot be taken back.`,
  revokeLive: (live: number) =>
    live === 0
      ? 'The account has no live session now, so none ends.'
      : `The account has ${count(live, 'live session', 'live sessions')} now; those begun with this key end.`,
  revokeCurrent: 'This is the key that you are signed in with: you are signed out as soon as it is revoked.',
  keep: 'Keep it',
  revokedNow: (name: string) => `“${name}” is revoked.`,
} as const;
