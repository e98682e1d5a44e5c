import type { DeviceCondition } from '../../contract/http/fleet-device.ts';
import type { HostState } from '../../contract/http/host.ts';
import type { SessionStatus } from '../../contract/http/session.ts';
import { auditTexts } from './audit.ts';
import { count, minutes } from './count.ts';

/** Texts of the pages for operators. */
export const adminTexts = {
  title: 'Operate',
  sections: {
    label: 'Operate',
    devices: 'Phones',
    hosts: 'Hosts',
    accounts: 'Accounts',
    groups: 'Groups',
    users: 'Users',
    sessions: 'Sessions',
    utilisation: 'Utilisation',
    audit: 'Audit trail',
  },
  notOperatorTitle: 'For operators only',
  notOperator:
    'This page requires an API key with the role “admin”. Sign in with such a key, or ask an operator of ' +
    'this service.',
  noSection: 'This page does not exist. Choose one of the operator pages above.',
  toPhones: 'View phones',
  noMatchTitle: 'No matches',
  noMatch: 'Try other filters, or clear them to see all entries.',
  clear: 'Clear filters',
  pastEndTitle: 'This page is empty',
  pastEnd: 'The list is shorter now. Go back to its first page.',
  firstPage: 'First page',
  actions: 'Actions',
  actionsFor: (name: string) => `Actions for ${name}`,
  never: 'Never',

  devices: {
    title: 'Phones',
    count: (total: number) => count(total, 'phone', 'phones'),
    search: 'Search by name, model or identifier',
    condition: 'Condition',
    anyCondition: 'All conditions',
    host: 'Host',
    anyHost: 'All hosts',
    conditions: {
      available: 'Available',
      busy: 'Busy',
      offline: 'Offline',
      maintenance: 'Maintenance',
    } satisfies Record<DeviceCondition, string>,
    cleaning: 'Being cleaned',
    inUse: 'In use',
    phone: 'Phone',
    standing: 'Activity',
    since: (from: string, to: string) => ` is using it since ${from}, until ${to} at the latest.`,
    maintenanceNext: 'Maintenance starts when the session ends.',
    note: (note: string) => `Note: ${note}`,
    problem: 'Problem:',
    whatToDo: 'Next step:',
    nothing: 'No action is needed.',
    lastUsed: (time: string) => `Last used ${time}.`,
    neverUsed: 'Never used.',
    noneTitle: 'No phones yet',
    none: 'Connect one to a host with USB debugging turned on. It appears here automatically.',

    rename: 'Rename',
    renameTitle: (name: string) => `Rename ${name}`,
    nameField: 'Name',
    nameHint: (own: string) => `Leave empty for “${own}”, the name that the phone reports.`,
    renameSubmit: 'Rename',
    renamed: (name: string) => `The phone was renamed to ${name}.`,

    maintain: 'Maintenance…',
    maintainTitle: (name: string) => `Start maintenance of ${name}`,
    maintainExplain:
      'It cannot be borrowed until you end the maintenance. A session that is using it continues to its ' +
      'end first.',
    editNote: 'Edit note…',
    editNoteTitle: (name: string) => `Maintenance of ${name}`,
    noteField: 'Note',
    noteHint: 'Optional. A note for other operators.',
    maintainSubmit: 'Start maintenance',
    saveNote: 'Save note',
    maintained: (name: string) => `${name} is in maintenance.`,
    endMaintenance: 'End maintenance',
    maintenanceEnded: (name: string) => `${name} can be borrowed again.`,

    release: 'End session…',
    releaseTitle: (name: string) => `End the session of ${name}`,
    releaseExplain: (account: string) =>
      `The session of ${account} ends immediately, and its user sees the reason. The phone is then ` +
      'cleaned, and available afterwards.',
    reasonField: 'Reason for the user',
    reasonMissing: 'Enter a reason. It is shown to the user.',
    releaseSubmit: 'End session',
    released: (name: string) => `The session of ${name} has ended. The phone is being cleaned.`,

    move: 'Move to another host…',
    moveTitle: (name: string) => `Move ${name} to another host`,
    moveExplain: (host: string) =>
      `Its current host is ${host}. After the move, the phone is offline until the new host reports it, and reports from ${host} are rejected.`,
    moveNowhere: (host: string) =>
      `${host} is the only host that is not revoked. Add another one on the command line, with “phonebooth hosts add”.`,
    moveField: 'New host',
    moveSubmit: 'Move',
    moved: (name: string, host: string) => `${name} was moved to ${host}.`,

    forget: 'Delete…',
    forgetTitle: (name: string) => `Delete ${name}?`,
    forgetExplain:
      'The phone is removed from the list. Its sessions stay in the records. It is added again ' +
      'automatically when a host reports it.',
    forgetSubmit: 'Delete',
    forgotten: (name: string) => `${name} was deleted.`,
    keep: 'Cancel',
  },

  hosts: {
    title: 'Hosts',
    count: (total: number) => count(total, 'host', 'hosts'),
    host: 'Host',
    state: 'State',
    states: { up: 'Up', silent: 'Not reporting', revoked: 'Revoked' } satisfies Record<HostState, string>,
    steps: {
      up: null,
      silent: 'Check that the machine is on, has a network connection and runs Phonebooth.',
      revoked: 'Its reports are rejected. Connect its phones to another host.',
    } satisfies Record<HostState, string | null>,
    notYet:
      'It has not reported yet. Start “phonebooth agent” on it with the credential that was printed when ' +
      'it was added.',
    lastSeen: 'Last report',
    phones: 'Phones',
    phonesOf: (name: string) => `Phones of ${name}`,
    noPhones: 'None',
    live: 'Live sessions',
    revoke: 'Revoke…',
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeExplain: (phones: number, sessions: number) => {
      const offline =
        phones === 0 ? 'it has no phones' : `its ${count(phones, 'phone goes', 'phones go')} offline`;
      const ends =
        sessions === 0
          ? 'no session ends, because it has no live session'
          : `${count(sessions, 'live session ends', 'live sessions end')} immediately`;
      return `This is permanent: its reports are rejected, ${offline}, and ${ends}.`;
    },
    revokeSubmit: 'Revoke permanently',
    revoked: (name: string) => `${name} was revoked.`,
    keep: 'Cancel',
    add: 'Add hosts on the command line, with “phonebooth hosts add”.',
    noneTitle: 'No hosts yet',
  },

  accounts: {
    title: 'Accounts',
    count: (total: number) => count(total, 'account', 'accounts'),
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
    keysOf: (name: string) => `Keys of ${name}`,
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
    keep: 'Cancel',
    disabledNow: (name: string) => `${name} was disabled.`,
    enable: 'Enable',
    enabledNow: (name: string) => `${name} was enabled.`,
  },

  users: {
    title: 'Users',
    subtitle:
      'People who sign in at the identity provider. Their groups there determine their account and role at ' +
      'each sign-in.',
    count: (total: number) => count(total, 'user', 'users'),
    user: 'User',
    account: 'Account',
    anyAccount: 'All accounts',
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
    keep: 'Cancel',
    disabledNow: (name: string) => `${name} was disabled.`,
    enable: 'Enable',
    enabledNow: (name: string) => `${name} can sign in again.`,
    noneTitle: 'No users yet',
    none:
      'Users appear here when they sign in at the identity provider. The documentation describes the setup ' +
      'under Operating.',
  },

  sessions: {
    title: 'Sessions',
    count: (total: number) => count(total, 'session', 'sessions'),
    status: 'Status',
    anyStatus: 'Live and ended',
    statuses: {
      connecting: 'Starting',
      connected: 'Live',
      disconnected: 'Ended',
    } satisfies Record<SessionStatus, string>,
    account: 'Account',
    anyAccount: 'All accounts',
    ofDevice: (id: string) => `Only phone ${id}`,
    phone: 'Phone',
    started: 'Started',
    ends: 'Until',
    outcome: 'State',
    charged: 'Minutes',
    reserved: (value: number) => `${value} reserved`,
    release: 'End session',
    noneTitle: 'No sessions yet',
    none: 'No phone has been borrowed yet.',
  },

  utilisation: {
    title: 'Utilisation',
    subtitle: 'How much of the time offered by the phones was used. Hours are in your time zone.',
    span: 'Time',
    spans: [
      ['24', 'Last 24 hours'],
      ['72', 'Last 3 days'],
      ['168', 'Last 7 days'],
      ['744', 'Last 31 days'],
    ],
    chart: (span: string) => `Device-minutes per hour, ${span.toLowerCase()}`,
    share: (percent: number | null) => (percent === null ? '—' : `${percent} %`),
    overall: 'In use',
    overallOf: (used: string, offered: string) => `${used} of ${offered} device-minutes offered`,
    busiest: 'Busiest hour',
    nothing: 'No phones were available in this period.',
    gaps: (hours: number) =>
      `The service did not run all the time in ${count(hours, 'hour', 'hours')}, so the offered time is partly unknown.`,
    inUse: 'In use',
    free: 'Offered, not in use',
    hour: 'Hour',
    offered: 'Offered',
    percent: 'Share',
    value: (value: number) => `${Math.round(value).toLocaleString('en')} min`,
    keyboard: 'Use the arrow keys to move from hour to hour.',
    table: 'Show as a table',
  },

  audit: auditTexts,

  refusals: {
    present:
      'Its host still reports this phone and would add it again. Disconnect it first, or put it into ' +
      'maintenance.',
    inUse: 'A session is using this phone. End the session first.',
    cleaning:
      'The session has ended, and the phone is being cleaned. It will be available in a moment. If not, ' +
      'put it into maintenance and restart it.',
    noSession: 'The phone has no session to end.',
    gone: (kind: string) => `The ${kind} no longer exists. Reload the page to update the list.`,
    forbidden: 'This action requires an API key with the role “admin”. Sign in with such a key.',
    field: (words: string) => `The service rejected this value: it ${words}.`,
  },
} as const;
