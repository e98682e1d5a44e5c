import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';

const CHANGE = 'phonebooth:navigate';

/**
 * Navigates to a path of the console, such as `/sessions/abc` or `/devices?brand=google`, without reloading the page.
 */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === currentPath()) return;
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(CHANGE));
}

const currentPath = () => location.pathname + location.search;

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener(CHANGE, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(CHANGE, listener);
  };
}

/** Returns the current location and rerenders the component when it changes. */
export function useLocation(): { path: string; search: string } {
  const full = useSyncExternalStore(subscribe, currentPath);
  const cut = full.indexOf('?');
  return cut < 0 ? { path: full, search: '' } : { path: full.slice(0, cut), search: full.slice(cut + 1) };
}

/** An ordinary link, so that it can be opened in a new tab. A plain click navigates within the page. */
export function Link({ href, onClick, ...rest }: ComponentProps<'a'> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

export type Route =
  | { page: 'devices' }
  | { page: 'sessions' }
  | { page: 'apps' }
  | { page: 'session'; sessionId: string }
  | { page: 'session-details'; sessionId: string }
  | { page: 'replay'; sessionId: string }
  | { page: 'wall' }
  | { page: 'watch' }
  | { page: 'shared-replay' }
  | { page: 'signed-in' }
  | { page: 'usage' }
  | { page: 'keys' }
  | { page: 'webhooks'; webhookId: string | null }
  | { page: 'admin' }
  | { page: 'not-found' };

const PLAIN_PAGES = ['apps', 'wall', 'watch', 'signed-in', 'usage', 'keys'] as const;
const isPlain = (name: string | undefined): name is (typeof PLAIN_PAGES)[number] =>
  PLAIN_PAGES.some((page) => page === name);

export function routeOf(path: string): Route {
  const [first, second, ...rest] = path.split('/').filter((part) => part !== '');
  // The admin page has subpages and routes among them itself.
  if (first === 'admin') return { page: 'admin' };
  if (first === 'sessions' && second !== undefined && rest.length === 1 && rest[0] === 'details')
    return named(second, detailsRoute);
  if (first === 'sessions' && second !== undefined && rest.length === 1 && rest[0] === 'replay')
    return named(second, replayRoute);
  if (rest.length > 0) return { page: 'not-found' };
  if ((first === undefined || first === 'devices') && second === undefined) return { page: 'devices' };
  if (isPlain(first) && second === undefined) return { page: first };
  if (first === 'replay' && second === undefined) return { page: 'shared-replay' };
  if (first === 'webhooks')
    return second === undefined ? { page: 'webhooks', webhookId: null } : named(second, webhookRoute);
  if (first !== 'sessions') return { page: 'not-found' };
  return second === undefined ? { page: 'sessions' } : named(second, sessionRoute);
}

const sessionRoute = (sessionId: string): Route => ({ page: 'session', sessionId });
const detailsRoute = (sessionId: string): Route => ({ page: 'session-details', sessionId });
const replayRoute = (sessionId: string): Route => ({ page: 'replay', sessionId });
const webhookRoute = (webhookId: string): Route => ({ page: 'webhooks', webhookId });

function named(part: string, route: (id: string) => Route): Route {
  try {
    return route(decodeURIComponent(part));
  } catch {
    return { page: 'not-found' };
  }
}
