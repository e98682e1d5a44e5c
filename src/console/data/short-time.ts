const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a time in the browser's time zone: `10:42 PM` if it is today, otherwise with its date. */
export function shortTime(iso: string, now = new Date()): string {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === now.toDateString();
  return unbroken((isToday ? time : dayAndTime).format(moment));
}

/** Lets a line break only between a date and its time, and not within either. */
const unbroken = (text: string) => text.replaceAll(/ (?=.*, )| (?=[AP]M)/g, '\u00a0');

const hour = new Intl.DateTimeFormat('en', { hour: 'numeric' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** Formats the date of a time in little space: `Nov 22`. */
export const dayTick = (iso: string) => day.format(new Date(iso));

/** Formats the start of an hour in little space: `5 PM`, or at midnight the date of the day that starts, `Nov 22`. */
export function hourTick(iso: string): string {
  const moment = new Date(iso);
  return (moment.getHours() === 0 ? day : hour).format(moment);
}

const dayAndSeconds = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats a time in the browser's time zone, with its date and seconds. */
export const exactTime = (iso: string) => unbroken(dayAndSeconds.format(new Date(iso)));
