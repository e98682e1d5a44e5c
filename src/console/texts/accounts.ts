import { count, minutes } from './count.ts';

/** Texts of the pages where operators manage accounts. */
export const accountTexts = {
  title: 'Accounts',
  count: (total: number) => count(total, 'account', 'accounts'),
  noneTitle: 'No accounts yet',
  none: 'Create one for each team that borrows phones.',
  create: 'New account',
  account: 'Account',
  state: 'State',
  enabled: 'Enabled',
  disabled: 'Disabled',
  minutes: 'Minutes this month',
  used: (used: number, limit: number | null) =>
    limit === null
      ? `${used.toLocaleString('en')}, no limit`
      : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}`,
  live: 'Live sessions',
  liveOf: (live: number, limit: number | null) =>
    limit === null ? `${live}, no limit` : `${live} of ${limit}`,
  keys: 'Keys',
  sessionsOf: 'Sessions',
  back: 'All accounts',
  notFound: 'This account does not exist. Go back to the list of accounts.',
  edit: 'Edit…',
  editTitle: (name: string) => `Edit ${name}`,
  createTitle: 'New account',
  name: 'Name',
  nameMissing: 'Enter a name that no other account uses.',
  quota: 'Minutes per month',
  quotaHint: 'Leave empty for no limit.',
  sessions: 'Concurrent sessions',
  storage: 'Disk space for apps, MB',
  storageDefault: 'Leave empty for the default of the service.',
  storageHint: (used: number) => `${used.toLocaleString('en')} MB in use. Leave empty for no limit.`,
  storageBelowUse: (used: number) =>
    `Below the ${used.toLocaleString('en')} MB in use: existing apps stay, but no app can be uploaded until enough are deleted.`,
  record: 'Record sessions by default',
  recordHint: 'Users can override this for each session.',
  recordings: 'Recordings',
  artifacts: 'Disk space, MB',
  artifactsBelowUse: (used: number) =>
    `Below the ${used.toLocaleString('en')} MB in use: existing recordings stay, but no session is recorded until enough are deleted.`,
  artifactDays: 'Retention, days',
  artifactDaysDefault: 'Leave empty for the default of the service.',
  artifactDaysHint: 'Leave empty to keep them forever.',
  wrongDays: (most: number) =>
    `Enter a whole number from 1 to ${most.toLocaleString('en')}, or leave the field empty.`,
  artifactsInUse: 'Disk space for recordings',
  storageInUse: 'Disk space for apps',
  storageOf: (used: number, limit: number | null) =>
    limit === null
      ? `${used.toLocaleString('en')} MB, no limit`
      : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} MB`,
  wrongNumber: 'Enter a whole number from 0 to 1,000,000,000, or leave the field empty.',
  belowUse: (used: number) =>
    `Below the ${minutes(used)} already used: sessions continue, but no phone can be borrowed until next ` +
    'month.',
  save: 'Save',
  saved: (name: string) => `${name} was saved.`,
  createSubmit: 'Create account',
  created: (name: string) => `The account ${name} was created. Create a key for it next.`,
  disable: 'Disable…',
  disableTitle: (name: string) => `Disable ${name}?`,
  disableExplain: (live: number) =>
    live === 0
      ? 'Its keys are rejected immediately. It has no live session.'
      : `Its keys are rejected immediately, and its ${count(live, 'live session ends', 'live sessions end')}.`,
  disableSubmit: 'Disable',
  disabledNow: (name: string) => `${name} was disabled.`,
  enable: 'Enable',
  enabledNow: (name: string) => `${name} was enabled.`,
} as const;

/** Texts of the page where operators manage users. */
export const userTexts = {
  title: 'Users',
  subtitle:
    'People who sign in at the identity provider. Their groups there determine their account and role at ' +
    'each sign-in.',
  count: (total: number) => count(total, 'user', 'users'),
  user: 'User',
  account: 'Account',
  role: 'Role',
  lastSignIn: 'Last sign-in',
  state: 'State',
  enabled: 'Enabled',
  disabled: 'Disabled',
  sessionsOf: 'Sessions of the account',
  disable: 'Disable…',
  disableTitle: (name: string) => `Disable ${name}?`,
  disableExplain:
    'The user can no longer sign in. All keys of the user are revoked, including those that the user ' +
    'created, and their sessions end immediately.',
  disableSubmit: 'Disable user',
  disabledNow: (name: string) => `${name} was disabled.`,
  enable: 'Enable',
  enabledNow: (name: string) => `${name} can sign in again.`,
  noneTitle: 'No users yet',
  none:
    'Users appear here when they sign in at the identity provider. The documentation describes the setup ' +
    'under Operating.',
} as const;
