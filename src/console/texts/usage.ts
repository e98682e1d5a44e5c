import { count, minutes } from './count.ts';

/** Texts of the page of an account's usage. */
export const usageTexts = {
  title: 'Usage',
  subtitle: (account: string) => `What the account ${account} used. Days and months are in UTC.`,
  month: 'Month',
  earlier: 'The month before',
  later: 'The month after',
  leftTitle: 'Left this month',
  unlimited: 'No limit',
  used: (used: number, limit: number | null) =>
    limit === null ? `${minutes(used)} used` : `${used.toLocaleString('en')} of ${minutes(limit)} used`,
  reserved: (reserved: number) =>
    `${minutes(reserved)} of it set aside for live sessions; what they leave is given back.`,
  resetsTitle: 'Starts again',
  resets: (left: number) => (left < 1 ? 'in less than a day' : `in ${count(left, 'day', 'days')}`),
  liveTitle: 'Live sessions',
  liveLimit: (limit: number | null) => (limit === null ? 'No limit at once' : `${limit} at once at most`),
  chartTitle: (month: string) => `Minutes by day in ${month}`,
  charged: 'Charged',
  setAside: 'Set aside',
  total: (used: number, sessions: number) => `${minutes(used)} in ${count(sessions, 'session', 'sessions')}.`,
  keyboard: 'With the arrow keys you go from day to day.',
  table: 'As a table',
  date: 'Day',
  sessions: 'Sessions',
  chargedMinutes: 'Minutes charged',
  reservedMinutes: 'Minutes set aside',
  none: 'Nothing was used in this month. Connect to a phone, or choose another month.',
} as const;
