import { SIGN_IN_PATHS } from '../../contract/http/sign-in.ts';

const ITEM = 'phonebooth.key';

/**
 * Stores the API key. By default the key is in the session storage of this tab: it is gone when the tab closes, and
 * other tabs cannot read it. If the user asks for it, the key is in the local storage instead, where all tabs of the
 * browser use it until one of them signs out.
 */
let key: string | null = sessionStorage.getItem(ITEM) ?? localStorage.getItem(ITEM);
let rejected = false;
const listeners = new Set<() => void>();

function set(next: string | null, nextRejected: boolean): void {
  key = next;
  rejected = nextRejected;
  for (const listener of listeners) listener();
}

function forget(nextRejected: boolean): void {
  sessionStorage.removeItem(ITEM);
  localStorage.removeItem(ITEM);
  set(null, nextRejected);
}

/**
 * Expires a key that was created by signing in at the identity provider. A pasted key stays valid. If the service is
 * unreachable, the request has no effect, and the key expires by itself later.
 */
function endSignIn(ended: string): void {
  const headers = { Authorization: `Bearer ${ended}` };
  fetch(SIGN_IN_PATHS.key, { method: 'DELETE', headers, keepalive: true }).catch(() => {});
}

addEventListener('storage', (event) => {
  const isForgotten = event.storageArea === localStorage && event.key === ITEM && event.newValue === null;
  if (isForgotten && event.oldValue === key) set(null, false);
});

export const keyStore = {
  get: () => key,
  /** Whether the last key was removed because the service no longer accepted it. */
  wasRejected: () => rejected,
  /** @param remember whether the browser keeps the key after the tab closes */
  signIn: (next: string, { remember }: { remember: boolean }) => {
    (remember ? localStorage : sessionStorage).setItem(ITEM, next);
    set(next, false);
  },
  signOut: () => {
    if (key !== null) endSignIn(key);
    forget(false);
  },
  /** Removes a key that was revoked, which needs no sign-out request. */
  leave: () => forget(false),
  reject: () => {
    if (key !== null) forget(true);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
