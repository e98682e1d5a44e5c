import { HttpSender } from '../../client/http-sender.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { type BrowserSession, SIGN_IN_PATHS } from '../../contract/http/sign-in.ts';

const ITEM = 'phonebooth.session';

// Earlier versions stored the API key here.
for (const storage of [sessionStorage, localStorage]) storage.removeItem('phonebooth.key');

/**
 * Identifier of the browser session, which is not a secret: the session itself is a cookie that scripts cannot read. All
 * tabs of the browser share it until one of them signs out.
 */
let current: string | null = localStorage.getItem(ITEM);
let rejected = false;
const listeners = new Set<() => void>();

function set(next: string | null, nextRejected: boolean): void {
  current = next;
  rejected = nextRejected;
  for (const listener of listeners) listener();
}

function forget(nextRejected: boolean): void {
  localStorage.removeItem(ITEM);
  set(null, nextRejected);
}

addEventListener('storage', (event) => {
  if (event.storageArea === localStorage && event.key === ITEM) set(event.newValue, false);
});

async function open(sender: HttpSender, path: string, remember: boolean): Promise<void> {
  const { id } = await sender.json<BrowserSession>(path, { method: 'POST', body: { remember } });
  localStorage.setItem(ITEM, id);
  set(id, false);
}

export const browserSession = {
  get: () => current,
  /** Whether the last session was removed because the service no longer accepted it. */
  wasRejected: () => rejected,
  /**
   * @param remember whether the browser stays signed in after it is closed
   * @throws ServiceError, with the code of an unauthorized request if the service does not accept the key
   */
  openWithKey: (key: string, remember: boolean) =>
    open(new HttpSender({ baseUrl: '', key }), SIGN_IN_PATHS.session, remember),
  /** Opens the session after a sign-in at the identity provider. @throws ServiceError */
  openWithTicket: (remember: boolean) =>
    open(new HttpSender({ baseUrl: '', key: null }), SIGN_IN_PATHS.exchange, remember),
  /** @throws ServiceError if the session could not be ended; the browser then stays signed in */
  signOut: async () => {
    try {
      await new HttpSender({ baseUrl: '', key: null }).json(SIGN_IN_PATHS.session, { method: 'DELETE' });
    } catch (error) {
      const isOver = error instanceof ServiceError && error.code === ERRORS.unauthorized.code;
      if (!isOver) throw error;
    }
    forget(false);
  },
  /** Removes a session that was revoked, which needs no sign-out request. */
  leave: () => forget(false),
  /** Removes a session that the service no longer accepts, unless a newer one has replaced it. */
  reject: (session: string) => {
    if (current === session) forget(true);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
