import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorMessage, ErrorNote } from './message.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** Words for its error; by default those of all pages. */
  sentence?: (error: unknown) => string;
  children(data: T): ReactNode;
}

/** What a query answered; until then its place, and what is wrong when it fails. What was there before stays. */
export function Loaded<T>({ query, sentence, children }: LoadedProps<T>) {
  const words = sentence && { sentence };
  if (query.data !== undefined) {
    return (
      <>
        {query.error && (
          <div className="mb-4">
            <ErrorNote error={query.error} {...words} />
          </div>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.error)
    return <ErrorMessage error={query.error} onRetry={() => void query.refetch()} {...words} />;
  return <div aria-hidden="true" className="breathe h-64 rounded-2xl border border-line bg-panel" />;
}
