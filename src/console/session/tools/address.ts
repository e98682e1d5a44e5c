/** A host with a port, such as `localhost:8080/x`. It resembles a scheme, but a number follows the colon. */
const HOST_WITH_PORT = /^(?:localhost|[^:/]*\.[^:/]*):\d+(?:[/?#]|$)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the URL that the user meant: unchanged if it has a scheme, otherwise with `https`. Returns null if it is
 * not a valid URL.
 */
export function addressFrom(typed: string): string | null {
  const trimmed = typed.trim();
  if (trimmed === '' || /\s/.test(trimmed)) return null;
  const hasScheme = SCHEME.test(trimmed) && !HOST_WITH_PORT.test(trimmed);
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return null;
  // The service accepts only lower-case schemes, as the URL standard writes them.
  return address.replace(SCHEME, (scheme) => scheme.toLowerCase());
}
