/**
 * Returns the values of an edit that differ from those before it. The others are not sent, so that they keep the values
 * that another operator may have set meanwhile.
 */
export function changesOf<T extends object>(values: T, before: { [Name in keyof T]?: unknown }): Partial<T> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof T]);
  return Object.fromEntries(Object.entries(values).filter(isChanged)) as Partial<T>;
}
