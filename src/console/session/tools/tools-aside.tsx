import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';
import { Resizer } from '../../ui/resizer.tsx';
import { SHARES, type Tools, type ToolsLayout, useToolsColumn, WIDTHS } from './tools-layout.ts';

const text = texts.tools;

interface ToolsAsideProps {
  layout: ToolsLayout;
  onChange: Tools['change'];
  children: ReactNode;
}

/** The area of the tools: a column beside the phone, or a sheet at the bottom of a narrow window. Both can be resized. */
export function ToolsAside({ layout: { width, share }, onChange, children }: ToolsAsideProps) {
  const isColumn = useToolsColumn();
  return (
    <aside
      aria-label={text.title}
      // The phone keeps at least half of the window.
      style={isColumn ? { width: `min(${width}px, 50%)` } : { height: `${share * 100}%` }}
      className={`relative flex min-h-0 shrink-0 flex-col border-line bg-panel ${
        isColumn ? 'border-l' : 'rounded-t-2xl border-t pt-2 shadow-lift'
      }`}
    >
      {isColumn ? (
        <Resizer
          label={text.resize}
          orientation="vertical"
          value={width}
          {...WIDTHS}
          step={32}
          valueAt={({ clientX }) => window.innerWidth - clientX}
          onChange={(next) => onChange({ width: next })}
        />
      ) : (
        <Resizer
          label={text.resize}
          orientation="horizontal"
          value={share}
          {...SHARES}
          step={0.05}
          valueAt={({ clientY, currentTarget }) => {
            const whole = currentTarget.parentElement?.parentElement?.getBoundingClientRect();
            return whole ? (whole.bottom - clientY) / whole.height : share;
          }}
          onChange={(next) => onChange({ share: next })}
        />
      )}
      {children}
    </aside>
  );
}
