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
    'This page needs an API key with the role “admin”. Sign in with such a key, or ask an operator of this service.',
  noSection: 'There is nothing at this address. What operators need is in the row above.',
  toPhones: 'See the phones',
  noMatchTitle: 'Nothing matches',
  noMatch: 'Try other filters, or clear them to see everything.',
  clear: 'Clear filters',
  pastEndTitle: 'Nothing on this page',
  pastEnd: 'The list has become shorter. Go back to its first page.',
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
    standing: 'What is going on',
    since: (from: string, to: string) => ` has it since ${from}, until ${to} at the latest.`,
    maintenanceNext: 'Maintenance begins when this ends.',
    note: (note: string) => `Note: ${note}`,
    problem: 'What is wrong:',
    whatToDo: 'What to do:',
    nothing: 'Nothing to do.',
    lastUsed: (time: string) => `Last used ${time}.`,
    neverUsed: 'Never used yet.',
    noneTitle: 'No phones yet',
    none: 'Plug one in at a host with USB debugging on. It appears here by itself.',

    rename: 'Rename',
    renameTitle: (name: string) => `Rename ${name}`,
    nameField: 'Name',
    nameHint: (own: string) => `Empty: “${own}”, which is what the phone calls itself.`,
    renameSubmit: 'Rename',
    renamed: (name: string) => `The phone is called ${name} now.`,

    maintain: 'Maintenance…',
    maintainTitle: (name: string) => `Take ${name} out of service`,
    maintainExplain:
      'It is not lent until you end the maintenance. A session that has it goes on to its end first.',
    editNote: 'Change the note…',
    editNoteTitle: (name: string) => `Maintenance of ${name}`,
    noteField: 'Note',
    noteHint: 'Optional. Why, for whoever looks at it next.',
    maintainSubmit: 'Take out of service',
    saveNote: 'Save the note',
    maintained: (name: string) => `${name} is in maintenance.`,
    endMaintenance: 'End the maintenance',
    maintenanceEnded: (name: string) => `${name} may be lent again.`,

    release: 'Release…',
    releaseTitle: (name: string) => `Release ${name}`,
    releaseExplain: (account: string) =>
      `The session of ${account} ends at once, and its user sees what you write here. The phone is then cleaned, and free after that.`,
    reasonField: 'Reason, for its user',
    reasonMissing: 'Write a reason: the user sees nothing else.',
    releaseSubmit: 'End the session',
    released: (name: string) => `${name} is released. It is cleaned now.`,

    move: 'Move to another host…',
    moveTitle: (name: string) => `Move ${name} to another host`,
    moveExplain: (host: string) =>
      `Its current host is ${host}. After the move, the phone is offline until the new host reports it, and reports from ${host} are rejected.`,
    moveNowhere: (host: string) =>
      `${host} is the only host that is not revoked. Add another one on the command line, with “phonebooth hosts add”.`,
    moveField: 'New host',
    moveSubmit: 'Move',
    moved: (name: string, host: string) => `${name} was moved to ${host}.`,

    forget: 'Forget…',
    forgetTitle: (name: string) => `Forget ${name}?`,
    forgetExplain:
      'It is taken off the list. Its sessions stay in the records, and it comes back by itself when a host has it again.',
    forgetSubmit: 'Forget it',
    forgotten: (name: string) => `${name} is forgotten.`,
    keep: 'Keep it',
  },

  hosts: {
    title: 'Hosts',
    count: (total: number) => count(total, 'host', 'hosts'),
    host: 'Host',
    state: 'State',
    states: { up: 'Up', silent: 'Silent', revoked: 'Revoked' } satisfies Record<HostState, string>,
    steps: {
      up: null,
      silent: 'See that the machine is on and reaches the network, and that Phonebooth runs on it.',
      revoked: 'Nothing it says is taken any more. Plug its phones in at another host.',
    } satisfies Record<HostState, string | null>,
    notYet:
      'It has not been heard of yet. Start “phonebooth agent” on it with the credential that was printed when it was added.',
    lastSeen: 'Last heard of',
    phones: 'Phones',
    phonesOf: (name: string) => `Phones of ${name}`,
    noPhones: 'None',
    live: 'Live sessions',
    revoke: 'Revoke…',
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeExplain: (phones: number, sessions: number) => {
      const offline =
        phones === 0 ? 'it has no phones now' : `its ${count(phones, 'phone goes', 'phones go')} offline`;
      const ends =
        sessions === 0
          ? 'no session ends, since none is live there'
          : `${count(sessions, 'live session ends', 'live sessions end')} at once`;
      return `For good: nothing it says is taken any more, ${offline}, and ${ends}.`;
    },
    revokeSubmit: 'Revoke it for good',
    revoked: (name: string) => `${name} is revoked.`,
    keep: 'Keep it',
    add: 'A host is added on the command line, with “phonebooth hosts add”.',
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
    notFound: 'There is no such account. Go back to the list of accounts.',
    edit: 'Edit…',
    editTitle: (name: string) => `Edit ${name}`,
    createTitle: 'New account',
    name: 'Name',
    nameMissing: 'Give it a name that no other account has.',
    quota: 'Minutes a month',
    quotaHint: 'Empty: no limit.',
    sessions: 'Sessions at a time',
    storage: 'Disk space for apps, MB',
    storageDefault: 'Empty: the service’s default.',
    storageHint: (used: number) => `${used.toLocaleString('en')} MB in use. Empty: no limit.`,
    storageBelowUse: (used: number) =>
      `Less than the ${used.toLocaleString('en')} MB in use: no app is deleted, but none can be uploaded until enough are deleted.`,
    storageInUse: 'Disk space for apps',
    storageOf: (used: number, limit: number | null) =>
      limit === null
        ? `${used.toLocaleString('en')} MB, no limit`
        : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} MB`,
    wrongNumber: 'Enter a whole number from 0 to 1,000,000,000, or leave the field empty.',
    belowUse: (used: number) =>
      `Less than the ${minutes(used)} used already: nothing ends, but no phone is lent until the next month.`,
    save: 'Save',
    saved: (name: string) => `${name} is saved.`,
    createSubmit: 'Create the account',
    created: (name: string) => `The account ${name} is there. Make a key for it next.`,
    disable: 'Disable…',
    disableTitle: (name: string) => `Disable ${name}?`,
    disableExplain: (live: number) =>
      live === 0
        ? 'Its keys are refused from now on. It has no live session, so none ends.'
        : `Its keys are refused from now on, and its ${count(live, 'live session ends', 'live sessions end')} at once.`,
    disableSubmit: 'Disable it',
    keep: 'Keep it',
    disabledNow: (name: string) => `${name} is disabled.`,
    enable: 'Enable',
    enabledNow: (name: string) => `${name} is enabled again.`,
  },

  users: {
    title: 'Users',
    subtitle:
      'People who sign in at the identity provider. Their groups there decide account and role, at each sign-in.',
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
      'They cannot sign in any more. All their keys are revoked, those that they made themselves too, and the sessions of these end at once.',
    disableSubmit: 'Disable the user',
    keep: 'Keep them',
    disabledNow: (name: string) => `${name} is disabled.`,
    enable: 'Enable',
    enabledNow: (name: string) => `${name} can sign in again.`,
    noneTitle: 'No users yet',
    none: 'Whoever signs in at the identity provider is listed here. How that is set up is in the documentation, under Operating.',
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
    ofDevice: (id: string) => `Only of the phone ${id}`,
    phone: 'Phone',
    started: 'Started',
    ends: 'Until',
    outcome: 'How it goes',
    charged: 'Minutes',
    reserved: (value: number) => `${value} set aside`,
    release: 'Release',
    noneTitle: 'No sessions yet',
    none: 'Nobody has borrowed a phone yet.',
  },

  utilisation: {
    title: 'Utilisation',
    subtitle:
      'How much of the time in which phones could be lent they were in use. Hours in your own time zone.',
    span: 'Time',
    spans: [
      ['24', 'Last 24 hours'],
      ['72', 'Last 3 days'],
      ['168', 'Last 7 days'],
      ['744', 'Last 31 days'],
    ],
    chart: (span: string) => `Device-minutes by the hour, ${span.toLowerCase()}`,
    share: (percent: number | null) => (percent === null ? '—' : `${percent} %`),
    overall: 'In use',
    overallOf: (used: string, offered: string) => `${used} of ${offered} device-minutes offered`,
    busiest: 'Busiest hour',
    nothing: 'Nothing was offered yet.',
    gaps: (hours: number) =>
      `In ${count(hours, 'hour', 'hours')} the service did not run all the time; what was offered then is not known.`,
    inUse: 'In use',
    free: 'Offered, not in use',
    hour: 'Hour',
    offered: 'Offered',
    percent: 'Share',
    value: (value: number) => `${Math.round(value).toLocaleString('en')} min`,
    keyboard: 'With the arrow keys you go from hour to hour.',
    table: 'As a table',
  },

  audit: auditTexts,

  refusals: {
    present:
      'Its host still has this phone, so it would come back at once. Unplug it first, or take it into maintenance.',
    inUse: 'A session has this phone. Release it first.',
    cleaning:
      'The session has ended, and the phone is being cleaned: it is free in a moment. If that does not come, take it into maintenance and restart it.',
    noSession: 'The phone is in no session any more; there is nothing to release.',
    gone: (kind: string) => `The ${kind} is not there any more. Reload the page to see what is.`,
    forbidden: 'This action needs an API key with the role “admin”. Sign in with such a key.',
    field: (words: string) => `The service did not take it: it ${words}.`,
  },
} as const;
