import { useEffect, useState } from 'react';
import type { Artifact } from '../../contract/http/artifact.ts';
import { type Lines, readJsonLines } from './json-lines.ts';

/** The lines of a file of the recording: being loaded, failed, or there. `none`: there is no such file. */
export type LinesState<T> =
  | { phase: 'none' | 'loading'; lines: null }
  | { phase: 'failed'; lines: null; retry(): void }
  | { phase: 'loaded'; lines: Lines<T> };

/**
 * Loads a file with one JSON object per line. It uses no client of the API, because a viewer may have no key. `read` must
 * be the same function for as long as the file is shown.
 */
export function useLines<T>(
  artifact: Artifact | undefined,
  read: (value: unknown, index: number) => T | null,
): LinesState<T> {
  const url = artifact?.url;
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{ url: string; lines: Lines<T> | null } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads the file again
  useEffect(() => {
    if (url === undefined) return;
    const leaving = new AbortController();
    const finish = (lines: Lines<T> | null) => {
      if (!leaving.signal.aborted) setResult({ url, lines });
    };
    load(url, read, leaving.signal).then(finish, () => finish(null));
    return () => leaving.abort();
  }, [url, read, attempt]);
  if (url === undefined) return { phase: 'none', lines: null };
  if (result?.url !== url) return { phase: 'loading', lines: null };
  if (result.lines) return { phase: 'loaded', lines: result.lines };
  const retry = () => {
    setResult(null);
    setAttempt(attempt + 1);
  };
  return { phase: 'failed', lines: null, retry };
}

async function load<T>(
  url: string,
  read: (value: unknown, index: number) => T | null,
  signal: AbortSignal,
): Promise<Lines<T>> {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body)
    throw new Error(`the file could not be loaded: HTTP ${response.status}`);
  return readJsonLines(response.body, read);
}
