import { useEffect } from 'react';

const RETRY_MS = 2_000;
const PROBE_TIMEOUT_MS = 5_000;

const itemOf = (chunk: string) => `phonebooth.reloaded.${chunk}`;

let holds = 0;

/**
 * Postpones automatic reloads while work is in progress that a reload would abort. Returns a function to call when the
 * work has ended.
 */
export function holdReload(): () => void {
  let isHeld = true;
  holds += 1;
  return () => {
    if (isHeld) holds -= 1;
    isHeld = false;
  };
}

/** Records that a chunk was loaded. If it fails to load later, the page is reloaded again. */
export const markLoaded = (chunk: string): void => sessionStorage.removeItem(itemOf(chunk));

/**
 * Reloads the page for a chunk that failed to load, or does nothing if `failed` is null. A reload is the only way to
 * recover: Chromium remembers a failed import for as long as the document exists, and after an upgrade of the service
 * only a new document contains the new names of the chunks.
 *
 * The page is reloaded once per chunk and tab until the chunk has been loaded, so that a chunk that is permanently
 * missing does not cause a loop. Each chunk has its own item in the session storage, because a page that loads and
 * contains a part that does not would otherwise reset the item with every reload.
 *
 * It does not use the event `vite:preloadError`, which also reports chunks that are only preloaded and not needed yet.
 */
export function useReloadOnce(failed: string | null): void {
  useEffect(() => {
    if (failed === null || sessionStorage.getItem(itemOf(failed)) !== null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    const attempt = async () => {
      const canReload = holds === 0 && (await isPageServed());
      if (!current) return;
      if (canReload && holds === 0) {
        sessionStorage.setItem(itemOf(failed), new Date().toISOString());
        location.reload();
      } else {
        timer = setTimeout(() => void attempt(), RETRY_MS);
      }
    };
    void attempt();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [failed]);
}

/** Requests the document that a reload requests. If that fails, a reload would show the browser's own error page. */
async function isPageServed(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const headers = { accept: 'text/html' };
    return (await fetch(location.pathname, { headers, cache: 'no-cache', signal })).ok;
  } catch {
    return false;
  }
}
