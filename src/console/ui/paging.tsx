import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface PagingProps {
  page: number;
  pageSize: number;
  total: number;
  onPage(page: number): void;
}

export function Paging({ page, pageSize, total, onPage }: PagingProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1) return null;
  return (
    <nav aria-label={texts.paging.label} className="mt-8 flex items-center justify-center gap-4">
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {texts.paging.previous}
      </Button>
      <span className="text-sm text-soft tabular-nums">{texts.paging.position(page, pages)}</span>
      <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {texts.paging.next}
      </Button>
    </nav>
  );
}
