/** The logger interface that components need: first the fields, then the message (pino's order). */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const ignore = () => {};

/** Discards everything, for tests and tools without a log. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
