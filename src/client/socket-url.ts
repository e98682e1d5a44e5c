/**
 * Returns the address at which a page should open a session's socket. A page served over plain HTTP uses its own
 * origin, which serves the same paths: the public address may have a certificate of a local authority, which the
 * browser would reject without an error message. Any other page, and any other program, uses the address unchanged.
 */
export function socketUrlFor(page: { protocol: string; host: string }, url: string): string {
  if (page.protocol !== 'http:') return url;
  const { pathname, search } = new URL(url);
  return `ws://${page.host}${pathname}${search}`;
}
