import type { ReactNode } from 'react';
import { usePageTitle } from '../ui/page-title.ts';

interface SectionHeadingProps {
  title: string;
  /** The number of items, or a short description of the section. */
  detail?: string | undefined;
  children?: ReactNode;
}

export function SectionHeading({ title, detail, children }: SectionHeadingProps) {
  usePageTitle(title);
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h1 className="text-2xl font-semibold">{title}</h1>
        {detail && <p className="text-soft">{detail}</p>}
      </div>
      {children}
    </div>
  );
}
