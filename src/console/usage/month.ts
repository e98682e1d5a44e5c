/** Moves a UTC calendar month, such as `2026-11`, by whole months. */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

export const isMonth = (text: string) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Formats a month: `November 2026`. */
export const monthName = (month: string) => long.format(new Date(`${month}-01T00:00:00Z`));
