import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { createQueryClient } from '../data/query-client.ts';
import { browserSession } from './browser-session.ts';
import { consoleClient } from './console-client.ts';
import { SignInPage } from './sign-in-page.tsx';

const ClientContext = createContext<PhoneboothClient | null>(null);

/** Returns the API client of the signed-in user. */
export function useClient(): PhoneboothClient {
  const client = use(ClientContext);
  if (!client) throw new Error('useClient is used outside Account');
  return client;
}

/**
 * Shows the sign-in page until there is a browser session. The children get a client and a query cache that no other
 * session has used.
 */
export function Account({ children }: { children: ReactNode }) {
  const session = useSyncExternalStore(browserSession.subscribe, browserSession.get);
  const { client, cache } = useMemo(
    () =>
      session === null
        ? { client: null, cache: null }
        : { client: consoleClient(), cache: createQueryClient(() => browserSession.reject(session)) },
    [session],
  );
  useEffect(() => () => cache?.clear(), [cache]);
  if (!client || !cache) return <SignInPage />;
  return (
    <QueryClientProvider client={cache}>
      <ClientContext value={client}>{children}</ClientContext>
    </QueryClientProvider>
  );
}
