import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';

/** The area of the tools: a column beside the phone, or the lower half of a small screen. */
export function ToolsAside({ children }: { children: ReactNode }) {
  return (
    <aside
      aria-label={texts.tools.title}
      className="relative flex min-h-0 shrink-0 flex-col border-line bg-panel max-md:h-[50%] max-md:border-t md:w-96 md:border-l"
    >
      {children}
    </aside>
  );
}
