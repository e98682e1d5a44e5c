import { useEffect, useState } from 'react';
import { SIGN_IN_PATHS, type SignInWays } from '../../contract/sign-in.ts';

/** The ways in beside a key; null while that is not known, and where the service does not say: a key always does. */
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
