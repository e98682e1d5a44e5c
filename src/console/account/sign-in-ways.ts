import { useEffect, useState } from 'react';
import { SIGN_IN_PATHS, type SignInWays } from '../../contract/http/sign-in.ts';

/**
 * Returns the sign-in methods other than a key. Returns null until they are known, and if the service does not list
 * them. Signing in with a key always works.
 */
export function useSignInWays(): SignInWays | null {
  const [ways, setWays] = useState<SignInWays | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    fetch(SIGN_IN_PATHS.ways, { signal: gone.signal })
      .then((response) => (response.ok ? response.json() : null))
      .then(
        (answer: { data: SignInWays } | null) => setWays(answer?.data ?? null),
        () => {},
      );
    return () => gone.abort();
  }, []);
  return ways;
}
