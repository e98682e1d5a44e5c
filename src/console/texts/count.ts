/** Formats a number with its noun: `1 app`, `1,200 apps`. */
export const count = (value: number, one: string, many: string) =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`;

export const minutes = (value: number) => count(value, 'minute', 'minutes');
