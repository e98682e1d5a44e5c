const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the browser's own time: `10:42 PM` where it is of today, else with its day. */
export function shortTime(iso: string, now = new Date()): string {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === now.toDateString();
  return (isToday ? time : dayAndTime).format(moment);
}

/** A moment in the browser's own time, with its day. */
export const fullTime = (iso: string) => dayAndTime.format(new Date(iso));
