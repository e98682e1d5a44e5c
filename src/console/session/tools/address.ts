/** A host with a port, such as `localhost:8080/x`: it looks like a scheme, but what follows its colon is a number. */
const HOST_WITH_PORT = /^(?:localhost|[^:/]*\.[^:/]*):\d+(?:[/?#]|$)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The address that was meant: as it is where it has a scheme, `https` where it has none; null when it is no address. */
export function addressFrom(typed: string): string | null {
  const trimmed = typed.trim();
  if (trimmed === '' || /\s/.test(trimmed)) return null;
  const hasScheme = SCHEME.test(trimmed) && !HOST_WITH_PORT.test(trimmed);
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return null;
  // The service takes schemes as the standard writes them, in small letters.
  return address.replace(SCHEME, (scheme) => scheme.toLowerCase());
}
