const ITEM = 'phonebooth.key';

/**
 * The API key of this tab. It is in the session storage and nowhere else: other tabs do not share it, and it is gone
 * with the tab.
 */
let key: string | null = sessionStorage.getItem(ITEM);
let rejected = false;
const listeners = new Set<() => void>();

function set(next: string | null, nextRejected: boolean): void {
  key = next;
  rejected = nextRejected;
  if (next === null) sessionStorage.removeItem(ITEM);
  else sessionStorage.setItem(ITEM, next);
  for (const listener of listeners) listener();
}

export const keyStore = {
  get: () => key,
  /** Whether the last key was given up because the service no longer accepted it. */
  wasRejected: () => rejected,
  signIn: (next: string) => set(next, false),
  signOut: () => set(null, false),
  reject: () => {
    if (key !== null) set(null, true);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
