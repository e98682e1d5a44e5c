import type { Role } from '../../contract/http/key.ts';
import { count } from './count.ts';

/** Texts about keys: the user's own, and those that operators create for accounts. */
export const keyTexts = {
  title: 'Keys',
  subtitle: 'Programs and people use keys to borrow phones on this account.',
  viewerOnly:
    'Your key is read-only and can neither create nor revoke keys. Ask for a key with the role “user”.',
  caption: (account: string) => `Keys of ${account}`,
  create: 'New key',
  name: 'Name',
  role: 'Role',
  created: 'Created',
  lastUsed: 'Last used',
  expires: 'Expires',
  state: 'State',
  actions: 'Actions',
  current: 'This browser',
  browserSession: 'Browser session',
  valid: 'Valid',
  revoked: 'Revoked',
  expired: 'Expired',
  never: 'Never',
  roles: { viewer: 'Viewer', user: 'User', admin: 'Admin' } satisfies Record<Role, string>,
  roleMeaning: {
    viewer: 'Can see phones and sessions, but not borrow phones.',
    user: 'Can borrow phones, upload apps and create keys.',
    admin: 'Can also operate the service: phones, hosts and accounts.',
  } satisfies Record<Role, string>,
  none: 'No keys yet',
  noneText: 'Create a key for each program or person that borrows phones.',

  createTitle: (account: string | null) => (account === null ? 'New key' : `New key for ${account}`),
  nameHint: 'Purpose of the key, such as “nightly tests”.',
  nameMissing: 'Enter a name to recognize the key by.',
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
  createSubmit: 'Create key',

  madeTitle: (name: string) => `The key “${name}”`,
  made: {
    once: 'Copy the key now. It is not shown again: the service stores only a hash of it.',
    field: 'API key',
    copy: 'Copy key',
    copied: 'Key copied.',
    close: 'Done',
    lost:
      'The key was created, but the response with it was lost. Revoke it in the list, and create another ' +
      'one.',
  },

  revoke: 'Revoke',
  revokeOne: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeExplain: (prefix: string) =>
    `Programs that use ${prefix}… are rejected immediately, and the sessions that the key created end. ` +
    'This cannot be undone.',
  revokeLive: (live: number) =>
    live === 0
      ? 'The account has no live session.'
      : `The account has ${count(live, 'live session', 'live sessions')}. Those that this key created end.`,
  revokeCurrent: 'This is the session of this browser. Revoking it signs you out.',
  revokedNow: (name: string) => `“${name}” was revoked.`,
} as const;
