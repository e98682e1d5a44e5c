import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '../../contract/http/artifact.ts';
import { type Lines, readJsonLines } from './json-lines.ts';

/** The lines of a file of the recording: being loaded, failed, or there. `none`: there is no such file. */
export type LinesState<T> =
  | { phase: 'none' | 'loading'; lines: null }
  | { phase: 'failed'; lines: null; retry(): void }
  | { phase: 'loaded'; lines: Lines<T> };

/** Loads a file with one JSON object per line. `read` must be the same function for as long as the file is shown. */
export function useLines<T>(
  artifact: Artifact | undefined,
  read: (value: unknown, index: number) => T | null,
): LinesState<T> {
  const query = useQuery({
    queryKey: ['recordings', 'lines', artifact?.url],
    queryFn: ({ signal }) => load(artifact?.url ?? '', read, signal),
    enabled: artifact !== undefined,
    // The file never changes. It may be large, so it is not kept after the page was left.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    structuralSharing: false,
  });
  if (!artifact) return { phase: 'none', lines: null };
  if (query.data) return { phase: 'loaded', lines: query.data };
  if (query.isError) return { phase: 'failed', lines: null, retry: () => void query.refetch() };
  return { phase: 'loading', lines: null };
}

async function load<T>(
  url: string,
  read: (value: unknown, index: number) => T | null,
  signal: AbortSignal,
): Promise<Lines<T>> {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body)
    throw new Error(`the file could not be loaded: status ${response.status}`);
  return readJsonLines(response.body, read);
}
