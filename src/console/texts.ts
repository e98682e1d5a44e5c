import type { EndReason, SessionStatus } from '../contract/http/session.ts';
import type { SignInProblem } from '../contract/http/sign-in.ts';
import { appTexts } from './texts/apps.ts';
import { count, minutes } from './texts/count.ts';
import { deviceTexts, waitingTexts } from './texts/devices.ts';
import {
  controlTexts,
  endedTexts,
  helpTexts,
  recordingTexts,
  sessionTexts,
  shareTexts,
  statisticsTexts,
  wallTexts,
  watchTexts,
} from './texts/session.ts';
import { toolTexts } from './texts/tools.ts';

/** Every text of the console, in one place. Error texts are sentences that end with what to do next. */
export const texts = {
  product: 'Phonebooth',
  pageTitle: (page?: string) => (page ? `${page} · Phonebooth` : 'Phonebooth'),
  minutes,
  skipToContent: 'Skip to content',

  navigation: {
    label: 'Main',
    devices: 'Phones',
    sessions: 'Sessions',
    apps: 'Apps',
    keys: 'Keys',
    usage: 'Usage',
    operate: 'Operate',
    docs: 'Documentation',
    signOut: 'Sign out',
    signOutAs: (name: string) => `Sign out ${name}`,
    theme: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
  },

  signIn: {
    title: 'Sign in',
    tagline: 'Real phones, lent by the minute.',
    field: 'API key',
    placeholder: 'pb_…',
    show: 'Show key',
    hide: 'Hide key',
    submit: 'Sign in',
    checking: 'Checking…',
    whereTitle: 'Where is my key?',
    whereTerminal: 'It was printed once in the terminal, when Phonebooth was first started.',
    whereFolder: 'It is also kept in the data folder: .phonebooth/api-key, where Phonebooth was started.',
    whereColleague: 'If a colleague runs this service, ask them for a key of your own.',
    remember: 'Stay signed in on this computer',
    privacy: 'The key stays in this tab until you close it.',
    privacyRemembered: 'The key stays in this browser until you sign out. Not for computers that you share.',
    empty: 'Paste your API key first.',
    rejected: 'This key is not known here. Check that all of it was copied, or ask for a new one.',
    expired: 'Your key is no longer accepted: it was revoked or has expired. Sign in again.',
    withProvider: (name: string) => `Sign in with ${name}`,
    orWithKey: 'or with an API key',
    coming: 'Signing you in…',
    refusedTitle: 'You are not signed in',
    again: 'Try again',
    withKey: 'Use an API key',
    problems: {
      denied: 'You cancelled, or the identity provider refused you. Try again, or ask who runs it.',
      expired:
        'That took too long, was done already, or began in another browser. Try again; cookies have to be allowed for this page.',
      no_access:
        'You are in no group that may use this service. Ask whoever runs it which group that is; then sign in again.',
      user_disabled: 'An operator has disabled your user. Ask whoever runs this service to enable it.',
      account_disabled: 'Your account here is disabled. Ask whoever runs this service to enable it.',
      unreachable:
        'The identity provider cannot be reached. Try again in a moment; if it stays, tell whoever runs this service.',
      misconfigured:
        'A setting of the sign-in is wrong. Tell whoever runs this service: its log says which, at this minute.',
      clock:
        'The clocks of this service and of the identity provider differ too much. Tell whoever runs this service.',
      untrusted:
        'What came back from the identity provider is not to be trusted, so nothing was done with it. Try again from the start.',
    } satisfies Record<SignInProblem, string>,
  },

  connection: {
    notLive:
      'Not live just now: what changes is asked for every few seconds. It is live again by itself when the service can be reached.',
  },

  usage: {
    label: 'Usage this month',
    unlimited: (used: number) => `${used.toLocaleString('en')} min used`,
    limited: (remaining: number) => `${remaining.toLocaleString('en')} min left`,
    detail: (used: number, limit: number | null, resets: string) =>
      limit === null
        ? `${minutes(used)} used this month, without a limit.`
        : `${used.toLocaleString('en')} of ${minutes(limit)} used. The count starts again on ${resets}.`,
  },

  devices: deviceTexts,
  waiting: waitingTexts,

  paging: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    position: (page: number, pages: number) => `Page ${page} of ${pages}`,
  },

  live: {
    title: 'Your phones now',
    return: 'Return to it',
    watch: 'Watch it',
    sideBySide: 'Watch side by side',
    starting: 'Starting…',
  },

  duration: {
    legend: 'Duration',
    choice: (value: number) => (value < 60 ? `${value} min` : `${value / 60} h`),
    custom: 'Custom',
    customField: 'Minutes',
    invalid: 'Enter a whole number of minutes, 1 or more.',
  },

  connect: {
    title: (name: string) => `Connect to ${name}`,
    explain:
      'The phone is yours alone until the time is up or you give it back. Unused minutes are returned.',
    submit: 'Connect',
    submitting: 'Connecting…',
    cancel: 'Cancel',
    left: (remaining: number) => `You have ${minutes(remaining)} left this month.`,
  },

  session: sessionTexts,
  controls: controlTexts,
  help: helpTexts,
  recording: recordingTexts,
  statistics: statisticsTexts,
  share: shareTexts,
  watch: watchTexts,
  wall: wallTexts,
  ended: endedTexts,

  sessions: {
    title: 'Sessions',
    subtitle: 'The phones you borrowed, how each loan ended, and what it came to.',
    phone: 'Phone',
    started: 'Started',
    lasted: 'Lasted',
    ended: 'How it ended',
    charged: 'Charged',
    chargedValue: (value: number | null) => (value === null ? '—' : `${value} min`),
    live: 'Live now',
    starting: 'Starting',
    status: 'Status',
    anyStatus: 'Live and ended',
    anyPhone: 'All phones',
    statuses: {
      connecting: 'Starting',
      connected: 'Live',
      disconnected: 'Ended',
    } satisfies Record<SessionStatus, string>,
    noMatchTitle: 'No such session',
    noMatch: 'Try other filters, or clear them to see every session.',
    noneTitle: 'No sessions yet',
    none: 'Connect to a phone, and what you used is listed here.',
    toDevices: 'See the phones',
    shortReasons: {
      client: 'Given back',
      expired: 'Time was up',
      idle: 'Idle',
      start_failed: 'Could not start',
      start_timeout: 'Did not start in time',
      device_lost: 'Phone lost',
      host_lost: 'Host lost',
      admin: 'Taken back',
    } satisfies Record<EndReason, string>,
  },

  apps: appTexts,
  tools: toolTexts,

  errors: {
    title: 'Something went wrong',
    retry: 'Try again',
    reload: 'Reload the page',
    crash: 'The console ran into a fault of its own. Your sessions go on; reload the page to return to them.',
    unreachable:
      'The service cannot be reached. Check that it is running and that you are online, then try again.',
    internal: 'The service had a fault of its own. Try again; if it stays, its log says more.',
    unavailable: 'The service is starting or its database is out of reach. Try again in a moment.',
    forbidden: 'Your key may watch but not borrow phones. Ask for a key with the role “user”.',
    deviceNotFound: 'This phone is not there any more. Go back to the list and choose another.',
    appNotFound: 'This app is not there any more. Choose another one, or upload it again.',
    sessionNotFound: 'There is no such session, or it is another account’s. Go back to the phones.',
    inUse: 'Somebody was faster: the phone is in use. Choose another, or wait until it is free.',
    notUsable: 'The phone cannot be used right now. Choose another, or try again in a moment.',
    quotaMinutes: (remaining: number) =>
      `That is more than the ${minutes(remaining)} you have left. Choose a shorter time, or ask for more.`,
    quotaSessions: 'You have as many sessions as you may have at once. Give one phone back first.',
    quotaKeys: (limit: number) =>
      `The account has ${count(limit, 'valid key', 'valid keys')}, as many as it may. Revoke one that is no longer needed.`,
    quotaApps: (limit: number) =>
      `You have ${count(limit, 'app', 'apps')}, as many as you may. Delete one that you no longer need.`,
    tooLarge: (message: string) => `That is too much: ${message}. Choose something smaller.`,
    sessionEnded: 'The session has ended. Connect again to go on.',
    rateLimited: 'That was too much at once. Wait a few seconds, then try again.',
    other: (message: string) => `The service refused: ${message}.`,
  },

  notFound: {
    title: 'Page not found',
    text: 'There is nothing at this address. The phones are one step away.',
    action: 'See the phones',
  },
} as const;
