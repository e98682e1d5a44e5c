const day = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** Formats a UTC date: `2026-11-21` as `Sat, November 21`. */
export const dayName = (date: string) => day.format(new Date(`${date}T00:00:00Z`));
