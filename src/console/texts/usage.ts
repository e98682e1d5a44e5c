import { count, minutes } from './count.ts';

/** Texts of the page of an account's usage. */
export const usageTexts = {
  title: 'Usage',
  subtitle: (account: string) => `Use of the account ${account}. Days and months are in UTC.`,
  month: 'Month',
  earlier: 'Previous month',
  later: 'Next month',
  leftTitle: 'Left this month',
  unlimited: 'No limit',
  used: (charged: number, limit: number | null) =>
    limit === null ? `${minutes(charged)} used` : `${charged.toLocaleString('en')} of ${minutes(limit)} used`,
  reserved: (reserved: number) =>
    `${minutes(reserved)} reserved by live sessions. Unused minutes are refunded.`,
  resetsTitle: 'Resets',
  resets: (left: number) => (left < 1 ? 'in less than a day' : `in ${count(left, 'day', 'days')}`),
  liveTitle: 'Live sessions',
  liveLimit: (limit: number | null) => (limit === null ? 'No limit' : `At most ${limit} at once`),
  appsTitle: 'Apps',
  recordingsTitle: 'Recordings',
  storageLimit: (limit: string | null) => (limit === null ? 'No limit' : `At most ${limit}`),
  chartTitle: (month: string) => `Minutes by day in ${month}`,
  charged: 'Charged',
  setAside: 'Reserved',
  total: (used: number, sessions: number) => `${minutes(used)} in ${count(sessions, 'session', 'sessions')}.`,
  keyboard: 'Use the arrow keys to move from day to day.',
  table: 'Show as a table',
  date: 'Day',
  sessions: 'Sessions',
  chargedMinutes: 'Minutes charged',
  reservedMinutes: 'Minutes reserved',
  none: 'No minutes were used in this month. Connect to a phone, or choose another month.',
} as const;
