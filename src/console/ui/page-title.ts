import { useEffect } from 'react';
import { texts } from '../texts.ts';

export function usePageTitle(page?: string): void {
  useEffect(() => {
    document.title = texts.pageTitle(page);
  }, [page]);
}
