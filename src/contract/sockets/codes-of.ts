type Codes<T extends Readonly<Record<string, { code: number }>>> = {
  readonly [Name in keyof T]: T[Name]['code'];
};

/** Returns the codes of a table, by name. */
export function codesOf<const T extends Readonly<Record<string, { code: number }>>>(table: T): Codes<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { code }]) => [name, code])) as Codes<T>;
}
