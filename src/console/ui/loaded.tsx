import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorMessage, ErrorNote } from './message.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** Formats the error. The default is the general error text of the console. */
  sentence?: (error: unknown) => string;
  children(data: T): ReactNode;
}

/**
 * Renders the result of a query, a placeholder until the first result, and an error if the query fails. A previous
 * result stays visible.
 */
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
