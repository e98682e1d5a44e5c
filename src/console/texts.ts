import type { EndReason, SessionStatus } from '../contract/http/session.ts';
import type { SignInProblem } from '../contract/http/sign-in.ts';
import { appTexts } from './texts/apps.ts';
import { count, minutes } from './texts/count.ts';
import { deviceTexts, waitingTexts } from './texts/devices.ts';
import { paletteTexts } from './texts/palette.ts';
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

interface Minutes {
  charged: number;
  reserved: number;
  limit: number | null;
}

/** Every text of the console, in one place. Error texts are sentences that end with what to do next. */
export const texts = {
  product: 'Phonebooth',
  pageTitle: (page?: string) => (page ? `${page} · Phonebooth` : 'Phonebooth'),
  minutes,
  skipToContent: 'Skip to content',
  cancel: 'Cancel',

  navigation: {
    label: 'Main',
    devices: 'Phones',
    sessions: 'Sessions',
    apps: 'Apps',
    keys: 'Keys',
    webhooks: 'Webhooks',
    usage: 'Usage',
    operate: 'Operate',
  },

  accountMenu: {
    label: 'Account',
    labelOf: (name: string) => `Account: ${name}`,
    standing: (account: string, role: string) => `${account} · ${role}`,
    keyStanding: (role: string) => `Account · ${role}`,
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    documentation: 'Documentation',
    reference: 'API reference',
    signOut: 'Sign out',
  },

  signIn: {
    title: 'Sign in',
    tagline: 'Borrow real phones by the minute.',
    field: 'API key',
    placeholder: 'pb_…',
    show: 'Show key',
    hide: 'Hide key',
    submit: 'Sign in',
    checking: 'Checking…',
    whereTitle: 'Where is my key?',
    whereTerminal: 'It was printed in the terminal once, when Phonebooth was first started.',
    whereFolder:
      'It is also stored in the data folder: .phonebooth/api-key, in the folder where Phonebooth was ' +
      'started.',
    whereColleague: 'If a colleague runs this service, ask them for your own key.',
    remember: 'Stay signed in on this computer',
    privacy: 'You stay signed in until you close the browser. The key itself is not stored.',
    privacyRemembered:
      'You stay signed in for 30 days at most. The key itself is not stored. Do not use this on shared computers.',
    empty: 'Paste your API key first.',
    rejected: 'This key is not valid here. Check that you copied all of it, or ask for a new one.',
    expired: 'You are no longer signed in: your session was revoked or has expired. Sign in again.',
    withProvider: (name: string) => `Sign in with ${name}`,
    orWithKey: 'or with an API key',
    coming: 'Signing you in…',
    refusedTitle: 'You are not signed in',
    again: 'Try again',
    withKey: 'Use an API key',
    problems: {
      denied:
        'You cancelled the sign-in, or the identity provider rejected it. Try again, or ask its ' +
        'administrator.',
      expired:
        'The sign-in took too long, was already completed, or was started in another browser. Try again, and ' +
        'allow cookies for this page.',
      no_access:
        'None of your groups has access to this service. Ask an operator of this service for access, then ' +
        'sign in again.',
      user_disabled: 'An operator has disabled your user. Ask an operator of this service to enable it.',
      account_disabled: 'Your account is disabled. Ask an operator of this service to enable it.',
      unreachable:
        'The identity provider cannot be reached. Try again in a moment. If this continues, contact an ' +
        'operator of this service.',
      misconfigured:
        'A sign-in setting of this service is wrong. Contact an operator: the log of the service names the ' +
        'setting.',
      clock:
        'The clocks of this service and of the identity provider differ too much. Contact an operator of ' +
        'this service.',
      untrusted:
        'The response of the identity provider failed verification, so you were not signed in. Try again ' +
        'from the start.',
    } satisfies Record<SignInProblem, string>,
  },

  connection: {
    notLive:
      'Live updates are interrupted. This page refreshes every few seconds and resumes live updates when ' +
      'the service is reachable.',
  },

  usage: {
    label: 'Usage this month',
    unlimited: (used: number) => `${used.toLocaleString('en')} min used`,
    limited: (remaining: number) => `${remaining.toLocaleString('en')} min left`,
    reserved: (reserved: number) => `${reserved.toLocaleString('en')} reserved`,
    detail: ({ charged, reserved, limit }: Minutes, resets: string) => {
      const parts = [`${minutes(charged)} used`, ...(reserved > 0 ? [`${minutes(reserved)} reserved`] : [])];
      return limit === null
        ? `${parts.join(' and ')} this month, without a limit.`
        : `${parts.join(' and ')} of ${minutes(limit)}. The quota resets on ${resets}.`;
    },
  },

  devices: deviceTexts,
  waiting: waitingTexts,

  listing: {
    noMatchTitle: 'No matches',
    noMatch: 'Try other filters, or clear them to see all entries.',
    clear: 'Clear filters',
    pastEndTitle: 'This page is empty',
    pastEnd: 'The list is shorter now. Go back to its first page.',
    firstPage: 'First page',
  },

  paging: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    position: (page: number, pages: number) => `Page ${page} of ${pages}`,
  },

  live: {
    title: 'Your current phones',
    return: 'Open session',
    watch: 'Watch',
    sideBySide: 'Watch side by side',
    starting: 'Starting…',
  },

  duration: {
    legend: 'Duration',
    choice: (value: number) => (value < 60 ? `${value} min` : `${value / 60} h`),
    custom: 'Custom',
    customField: 'Minutes',
    invalid: (most: number) => {
      if (most < 1) return 'No minutes are left.';
      return Number.isFinite(most)
        ? `Enter a whole number of minutes from 1 to ${most.toLocaleString('en')}.`
        : 'Enter a whole number of minutes, at least 1.';
    },
  },

  connect: {
    title: (name: string) => `Connect to ${name}`,
    explain:
      'Only you can use the phone until the session ends. Unused minutes are refunded when you end it ' +
      'early.',
    submit: 'Connect',
    submitting: 'Connecting…',
    busy: (name: string) =>
      `${name} is in use. You can wait for a phone of the same brand, model and OS version, and keep using the console.`,
    unavailable: (name: string) =>
      `${name} is not available now. You can wait for a phone of the same brand, model and OS version, and keep using the console.`,
    wait: 'Wait for a phone like it',
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
    subtitle: 'The phones that you borrowed, how each session ended, and the minutes charged.',
    phone: 'Phone',
    by: 'Borrowed by',
    started: 'Started',
    lasted: 'Lasted',
    charged: 'Charged',
    chargedValue: (value: number | null) => (value === null ? '—' : `${value} min`),
    status: 'Status',
    anyStatus: 'Live and ended',
    anyPhone: 'All phones',
    statuses: {
      connecting: 'Starting',
      connected: 'Live',
      disconnected: 'Ended',
    } satisfies Record<SessionStatus, string>,
    noneTitle: 'No sessions yet',
    none: 'Connect to a phone to see your sessions here.',
    toDevices: 'View phones',
    shortReasons: {
      client: 'Ended by client',
      expired: 'Time limit reached',
      idle: 'Idle',
      start_failed: 'Could not start',
      start_timeout: 'Did not start in time',
      device_lost: 'Phone lost',
      host_lost: 'Host lost',
      admin: 'Ended by operator',
    } satisfies Record<EndReason, string>,
  },

  apps: appTexts,
  palette: paletteTexts,
  tools: toolTexts,

  errors: {
    title: 'Something went wrong',
    notFoundTitle: 'Not found',
    retry: 'Try again',
    reload: 'Reload',
    notLoadedTitle: 'Loading failed',
    notLoaded: 'The connection was interrupted, or Phonebooth was updated. Reload the page to continue.',
    crash: 'The console has crashed. Your sessions continue. Reload the page to return to them.',
    unreachable:
      'The service cannot be reached. Check that it is running and that you are online, then try again.',
    internal: 'The service had an internal error. Try again. If this continues, check its log.',
    unavailable: 'The service is starting, or its database is unavailable. Try again in a moment.',
    forbidden: 'Your key can watch phones but not borrow them. Ask for a key with the role “user”.',
    deviceNotFound: 'This phone no longer exists. Go back to the list and choose another.',
    appNotFound: 'This app no longer exists. Choose another one, or upload it again.',
    sessionNotFound: 'This session does not exist, or it belongs to another account. Go back to the phones.',
    inUse:
      'Another client connected first, and the phone is in use. Choose another, or wait until it is ' +
      'available.',
    notUsable: 'The phone cannot be used right now. Choose another, or try again in a moment.',
    quotaMinutes: (remaining: number) =>
      `You have only ${minutes(remaining)} left. Choose a shorter duration, or ask for a larger quota.`,
    quotaSessions: 'You have reached your limit of concurrent sessions. End a session first.',
    quotaKeys: (limit: number) =>
      `The account has reached its limit of ${count(limit, 'valid key', 'valid keys')}. Revoke one that is no longer needed.`,
    quotaApps: (limit: number) =>
      `You have reached your limit of ${count(limit, 'app', 'apps')}. Delete one that you no longer need.`,
    quotaWebhooks: (limit: number) =>
      `The account has reached its limit of ${count(limit, 'webhook', 'webhooks')}. Delete one that is no longer needed.`,
    tooLarge: (message: string) => `The limit is exceeded: ${message}.`,
    sessionEnded: 'The session has ended. Connect again to continue.',
    fileExists: 'A file with this name exists already. Delete it, or rename yours.',
    rateLimited: 'Too many requests. Wait a few seconds, then try again.',
    invalid: (field: string, words: string) => `The service rejected the value of “${field}”: it ${words}.`,
    other: (message: string) => `The service rejected the request: ${message}.`,
  },

  notFound: {
    title: 'Page not found',
    text: 'This page does not exist. Go back to the phones.',
    action: 'View phones',
  },
} as const;
