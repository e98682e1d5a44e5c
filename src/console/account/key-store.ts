import { SIGN_IN_PATHS } from '../../contract/sign-in.ts';

const ITEM = 'phonebooth.key';

/**
 * The API key. It is in the session storage of this tab, gone with the tab and shared with no other; only who asks for
 * it has it in the local storage, where all tabs of the browser find it until one signs out.
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

/** A key that came of signing in expires with that; one that was pasted stays. Where the service is away, it expires by itself. */
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
  /** Whether the last key was given up because the service no longer accepted it. */
  wasRejected: () => rejected,
  /** @param remember whether the browser keeps it when the tab is closed */
  signIn: (next: string, { remember }: { remember: boolean }) => {
    (remember ? localStorage : sessionStorage).setItem(ITEM, next);
    set(next, false);
  },
  signOut: () => {
    if (key !== null) endSignIn(key);
    forget(false);
  },
  /** After a key was revoked: there is nothing left to end. */
  leave: () => forget(false),
  reject: () => {
    if (key !== null) forget(true);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
