import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { createQueryClient } from '../data/query-client.ts';
import { clientFor } from './client-for.ts';
import { keyStore } from './key-store.ts';
import { SignInPage } from './sign-in-page.tsx';

const ClientContext = createContext<PhoneboothClient | null>(null);

/** Returns the API client of the signed-in user. */
export function useClient(): PhoneboothClient {
  const client = use(ClientContext);
  if (!client) throw new Error('useClient is used outside Account');
  return client;
}

/**
 * Shows the sign-in page until there is a key. The children get a client for that key, and a query cache that no
 * other key has used.
 */
export function Account({ children }: { children: ReactNode }) {
  const key = useSyncExternalStore(keyStore.subscribe, keyStore.get);
  const client = useMemo(() => (key === null ? null : clientFor(key)), [key]);
  const cache = useMemo(() => (key === null ? null : createQueryClient(keyStore.reject)), [key]);
  useEffect(() => () => cache?.clear(), [cache]);
  if (!client || !cache) return <SignInPage />;
  return (
    <QueryClientProvider client={cache}>
      <ClientContext value={client}>{children}</ClientContext>
    </QueryClientProvider>
  );
}
