/** What a part needs of a logger: fields first, then a plain sentence (pino's order). */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const ignore = () => {};

/** For tests and tools that have nobody to tell. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
