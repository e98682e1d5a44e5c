import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { createQueryClient } from '../data/query-client.ts';
import { StreamGate } from '../data/stream-gate.ts';
import { browserSession } from './browser-session.ts';
import { consoleClient } from './console-client.ts';
import { SignInPage } from './sign-in-page.tsx';

const ClientContext = createContext<PhoneboothClient | null>(null);
const GateContext = createContext<StreamGate | null>(null);

/** Returns the API client of the signed-in user. */
export function useClient(): PhoneboothClient {
  const client = use(ClientContext);
  if (!client) throw new Error('useClient is used outside Account');
  return client;
}

/** Returns the gate through which the requests of that client pass. */
export function useStreamGate(): StreamGate {
  const gate = use(GateContext);
  if (!gate) throw new Error('useStreamGate is used outside Account');
  return gate;
}

/**
 * Shows the sign-in page until there is a browser session. The children get a client and a query cache that no other
 * session has used.
 */
export function Account({ children }: { children: ReactNode }) {
  const session = useSyncExternalStore(browserSession.subscribe, browserSession.get);
  const { client, gate, cache } = useMemo(() => {
    if (session === null) return { client: null, gate: null, cache: null };
    const gate = new StreamGate();
    const client = consoleClient(gate.fetch);
    return { client, gate, cache: createQueryClient(() => browserSession.reject(session)) };
  }, [session]);
  useEffect(() => () => cache?.clear(), [cache]);
  if (!client || !cache) return <SignInPage />;
  return (
    <QueryClientProvider client={cache}>
      <GateContext value={gate}>
        <ClientContext value={client}>{children}</ClientContext>
      </GateContext>
    </QueryClientProvider>
  );
}
