import * as Primitive from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';

interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; label: string }[];
  current: Id;
  onChange(id: Id): void;
  /** Content of the current tab. */
  children: ReactNode;
}

/** Tabs with a single tab stop, and arrow keys, Home and End to move between them. */
export function Tabs<Id extends string>({ label, tabs, current, onChange, children }: TabsProps<Id>) {
  return (
    <Primitive.Root
      value={current}
      onValueChange={(id) => onChange(id as Id)}
      className="flex min-h-0 grow flex-col"
    >
      <Primitive.List aria-label={label} className="flex shrink-0 flex-wrap border-b border-line px-2">
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.id}
            value={tab.id}
            className="border-b-2 border-transparent px-2.5 py-2 text-sm font-medium whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-selected:border-strong aria-selected:text-ink"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      <Primitive.Content
        value={current}
        // Its first control is the next tab stop.
        tabIndex={-1}
        className="flex min-h-0 grow flex-col overflow-y-auto outline-none"
      >
        {children}
      </Primitive.Content>
    </Primitive.Root>
  );
}
