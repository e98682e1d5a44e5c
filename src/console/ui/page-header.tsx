import type { ReactNode } from 'react';
import { PageBackIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { usePageTitle } from './page-title.ts';

export interface PageHeaderProps {
  title: string;
  /** The title of the document, if it differs. */
  documentTitle?: string;
  /** Short text beside the title, such as the number of items. */
  detail?: ReactNode;
  /** A badge or a menu beside the title. */
  state?: ReactNode;
  /** Text below the title and the buttons. */
  subtitle?: ReactNode;
  /** The buttons of the page. */
  children?: ReactNode;
}

/** The header of a page: its title, what it is about, and its buttons. */
export function PageHeader({ title, documentTitle, detail, state, subtitle, children }: PageHeaderProps) {
  usePageTitle(documentTitle ?? title);
  return (
    <div className="mb-5 space-y-1">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 sm:flex-nowrap">
        <div className="flex min-h-10 min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="text-title min-w-0 break-words">{title}</h1>
          {state}
          {detail && <p className="pt-1 text-soft tabular-nums">{detail}</p>}
        </div>
        {children && (
          <div className="flex min-h-10 flex-wrap items-center gap-2 empty:hidden">{children}</div>
        )}
      </div>
      {subtitle && <div className="text-soft">{subtitle}</div>}
    </div>
  );
}

/** The link to the list that a page belongs to, above its header. */
export function BackToList({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="mb-2 -ml-1.5 inline-flex items-center gap-1 rounded-lg py-1 pr-2 text-sm text-soft hover:text-ink"
    >
      <PageBackIcon className="size-4" />
      {children}
    </Link>
  );
}
