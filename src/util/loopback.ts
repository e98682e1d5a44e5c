const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Whether a host, or the host name of a URL, is the usual name or address of this machine itself. */
export const isLoopback = (host: string): boolean => LOOPBACK.has(host);
