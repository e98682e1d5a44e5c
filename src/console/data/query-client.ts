import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isServiceFailure } from '../../client/retry.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';

/** Interval at which visible data is refetched. A hidden tab does not poll. */
export const POLL_MS = 2_000;

const isRefusedKey = (error: Error) =>
  error instanceof ServiceError && error.code === ERRORS.unauthorized.code;

const mayRecover = (error: Error) => !(error instanceof ServiceError) || isServiceFailure(error);

export function createQueryClient(onRefusedKey: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isRefusedKey(error)) onRefusedKey();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayRecover(error),
        staleTime: 1_000,
        // The service may run on this machine, so the browser's online state says nothing about whether it is
        // reachable.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
