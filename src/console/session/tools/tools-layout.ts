import { useState } from 'react';

const STORED_AS = 'phonebooth.tools';
/** Narrowest window in which the tools are open from the start: the phone keeps its size there. */
const OPENS_BY_ITSELF = '(min-width: 84rem)';

/** How the user arranged the tools, kept in this browser. */
export interface ToolsLayout {
  /** Whether they are open in a wide window. */
  open: boolean;
  tab: string;
  /** Width in a wide window, in CSS pixels. */
  width: number;
  /** Share of the height in a narrow window. */
  share: number;
}

const DEFAULTS: ToolsLayout = { open: true, tab: 'apps', width: 384, share: 0.5 };
export const WIDTHS = { least: 300, most: 720 } as const;
export const SHARES = { least: 0.25, most: 0.8 } as const;

const within = (value: unknown, { least, most }: { least: number; most: number }, otherwise: number) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;

/** Reads a stored layout. Replaces whatever is missing or not valid. */
export function parseToolsLayout(stored: string | null): ToolsLayout {
  let read: Partial<Record<keyof ToolsLayout, unknown>>;
  try {
    read = Object(JSON.parse(stored ?? 'null'));
  } catch {
    read = {};
  }
  return {
    open: typeof read.open === 'boolean' ? read.open : DEFAULTS.open,
    tab: typeof read.tab === 'string' ? read.tab : DEFAULTS.tab,
    width: within(read.width, WIDTHS, DEFAULTS.width),
    share: within(read.share, SHARES, DEFAULTS.share),
  };
}

export interface Tools {
  layout: ToolsLayout;
  isOpen: boolean;
  toggle(): void;
  change(change: Partial<ToolsLayout>): void;
}

/** The arrangement of the tools. In a narrow window they are closed at first, and opening them is not stored. */
export function useToolsLayout(): Tools {
  const [layout, setLayout] = useState(() => parseToolsLayout(localStorage.getItem(STORED_AS)));
  const [isOpen, setOpen] = useState(() => layout.open && matchMedia(OPENS_BY_ITSELF).matches);
  const change = (next: Partial<ToolsLayout>) => {
    const changed = parseToolsLayout(JSON.stringify({ ...layout, ...next }));
    setLayout(changed);
    localStorage.setItem(STORED_AS, JSON.stringify(changed));
  };
  return {
    layout,
    isOpen,
    toggle: () => {
      setOpen(!isOpen);
      if (matchMedia(OPENS_BY_ITSELF).matches) change({ open: !isOpen });
    },
    change,
  };
}
