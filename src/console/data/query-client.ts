import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/errors.ts';

/** How often what is on the screen is asked for again. A hidden tab does not ask. */
export const POLL_MS = 2_000;

const isRefusedKey = (error: Error) =>
  error instanceof ServiceError && error.code === ERRORS.unauthorized.code;

/** Only what may pass by itself is worth another try: no answer at all, or a service that is out of breath. */
const mayPass = (error: Error) =>
  !(error instanceof ServiceError) || error.status === 0 || error.status >= 500;

export function createQueryClient(onRefusedKey: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isRefusedKey(error)) onRefusedKey();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayPass(error),
        staleTime: 1_000,
        // The service may be on this very machine, which the browser's idea of being online says nothing about.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
