import { useRef } from 'react';
import { randomId } from './random-id.ts';

/**
 * Returns a function that maps each request to its idempotency key. A retry after a lost response creates nothing
 * twice, and changed values are a new request.
 */
export function useIdempotencyKeys(): (request: object) => string {
  const keys = useRef(new Map<string, string>());
  return (request) => {
    const values = JSON.stringify(request);
    const key = keys.current.get(values) ?? randomId();
    keys.current.set(values, key);
    return key;
  };
}
