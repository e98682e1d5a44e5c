import { useEffect, useState } from 'react';

const RETRY_MS = 2_000;
const TIMEOUT_MS = 5_000;

/**
 * Returns the origin of this service's streams, or null until it is known. A page served over plain HTTP uses its own
 * origin, which serves the same paths. Any other page requests the origin from the service that served it, so that a
 * manipulated link cannot send its viewer to another server.
 */
export function useStreamOrigin(): { origin: string | null; isReachable: boolean } {
  const [origin, setOrigin] = useState(location.protocol === 'http:' ? `ws://${location.host}` : null);
  const [isReachable, setReachable] = useState(true);
  useEffect(() => {
    if (origin !== null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    const ask = async () => {
      const answer = await readStreamOrigin();
      if (!current) return;
      setOrigin(answer);
      setReachable(answer !== null);
      if (answer === null) timer = setTimeout(() => void ask(), RETRY_MS);
    };
    void ask();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [origin]);
  return { origin, isReachable };
}

/** Reads the origins of the sockets from the API index at `/`. Returns null if the service does not respond. */
async function readStreamOrigin(): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch('/', { headers: { accept: 'application/json' }, cache: 'no-store', signal });
    const { data } = (await response.json()) as { data?: { sockets?: { stream?: unknown } } };
    const stream = data?.sockets?.stream;
    return typeof stream === 'string' && /^wss?:\/\/[^/]+$/.test(stream) ? stream : null;
  } catch {
    return null;
  }
}
