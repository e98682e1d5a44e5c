const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the browser's own time: `10:42 PM` where it is of today, else with its day. */
export function shortTime(iso: string, now = new Date()): string {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === now.toDateString();
  return (isToday ? time : dayAndTime).format(moment);
}

const hour = new Intl.DateTimeFormat('en', { hour: 'numeric' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** The day of a moment, where there is little room: `Nov 22`. */
export const dayTick = (iso: string) => day.format(new Date(iso));

/** An hour's beginning where there is little room: `5 PM`, and at midnight the day that begins, `Nov 22`. */
export function hourTick(iso: string): string {
  const moment = new Date(iso);
  return (moment.getHours() === 0 ? day : hour).format(moment);
}

/** A moment in the browser's own time, with its day. */
export const fullTime = (iso: string) => dayAndTime.format(new Date(iso));
