import { useState, useSyncExternalStore } from 'react';
import { hasRoomBeside, ROOM_BESIDE } from '../use-fit.ts';

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
  /** Whether the log is below the phone and the tools, as wide as the window. */
  logDocked: boolean;
  /** Share of the height that the log has there. */
  dockShare: number;
  /** Whether long lines of the log are wrapped. */
  logWrap: boolean;
}

const DEFAULTS: ToolsLayout = {
  open: true,
  tab: 'apps',
  width: 384,
  share: 0.5,
  logDocked: false,
  dockShare: 0.35,
  logWrap: false,
};
export const WIDTHS = { least: 300, most: 720 } as const;
export const SHARES = { least: 0.25, most: 0.8 } as const;
export const DOCK_SHARES = { least: 0.2, most: 0.7 } as const;

const within = (value: unknown, { least, most }: { least: number; most: number }, otherwise: number) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;

const bool = (value: unknown, otherwise: boolean) => (typeof value === 'boolean' ? value : otherwise);

/** Reads a stored layout. Replaces whatever is missing or not valid. */
export function parseToolsLayout(stored: string | null): ToolsLayout {
  let read: Partial<Record<keyof ToolsLayout, unknown>>;
  try {
    read = Object(JSON.parse(stored ?? 'null'));
  } catch {
    read = {};
  }
  return {
    open: bool(read.open, DEFAULTS.open),
    tab: typeof read.tab === 'string' ? read.tab : DEFAULTS.tab,
    width: within(read.width, WIDTHS, DEFAULTS.width),
    share: within(read.share, SHARES, DEFAULTS.share),
    logDocked: bool(read.logDocked, DEFAULTS.logDocked),
    dockShare: within(read.dockShare, DOCK_SHARES, DEFAULTS.dockShare),
    logWrap: bool(read.logWrap, DEFAULTS.logWrap),
  };
}

/** Whether the log has its place below the phone. In a narrow window it is always in the tools, which are as wide. */
export const isDocked = ({ layout }: Pick<Tools, 'layout'>, isColumn: boolean): boolean =>
  layout.logDocked && isColumn;

export interface Tools {
  layout: ToolsLayout;
  isOpen: boolean;
  toggle(): void;
  change(change: Partial<ToolsLayout>): void;
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(ROOM_BESIDE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/**
 * Whether the tools are a column beside the phone, and not a sheet at the bottom of a narrow window. In a low window,
 * such as that of a laptop zoomed to 200 %, a sheet would leave no room for the phone.
 */
export const useToolsColumn = (): boolean => useSyncExternalStore(subscribe, hasRoomBeside);

/** The arrangement of the tools. In a narrow window they are closed at first, and opening them is not stored. */
export function useToolsLayout(): Tools {
  const [layout, setLayout] = useState(() => parseToolsLayout(localStorage.getItem(STORED_AS)));
  const [isOpen, setOpen] = useState(() => layout.open && matchMedia(OPENS_BY_ITSELF).matches);
  const change = (next: Partial<ToolsLayout>) => {
    // Several changes may precede the next render.
    const latest = parseToolsLayout(localStorage.getItem(STORED_AS));
    const changed = parseToolsLayout(JSON.stringify({ ...latest, ...next }));
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
