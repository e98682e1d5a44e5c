import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { indexAfter } from './index-after.ts';

/** Rows beyond each edge of what is seen, so that scrolling shows no gap. */
const MARGIN_ROWS = 4;
/** The bar at the top stays over the list. */
const UNDER_THE_BAR_PX = 84;

interface Layout {
  /** Phones. */
  count: number;
  /** Phones in a row. */
  columns: number;
  /** Height of a row with the gap below it, in CSS rem. */
  rowRem: number;
}

/**
 * The part of a long list that is there: the rows in view and some around them, in a window that scrolls. Arrow keys,
 * Home and End move the focus from phone to phone, over those too that are not there yet; each is an element with its
 * index in `data-index` that can be focused.
 */
export function useRowsInView<E extends HTMLElement>({ count, columns, rowRem }: Layout) {
  const list = useRef<E>(null);
  const top = useDocumentTop(list);
  const rowPx = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const rows = Math.ceil(count / columns);
  const virtualizer = useWindowVirtualizer({
    count: rows,
    estimateSize: () => rowPx,
    overscan: MARGIN_ROWS,
    scrollMargin: top,
    scrollPaddingStart: UNDER_THE_BAR_PX,
    scrollPaddingEnd: UNDER_THE_BAR_PX / 4,
  });
  const seen = virtualizer.getVirtualItems();
  const firstRow = seen[0]?.index ?? 0;
  const endRow = (seen.at(-1)?.index ?? -1) + 1;
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    const target = wanted.current !== null && elementAt(list.current, wanted.current);
    if (!target) return;
    target.focus({ preventScroll: true });
    wanted.current = null;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const from = (event.target as Element).closest('[data-index]')?.getAttribute('data-index');
    if (from === null || from === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = indexAfter(event.key, Number(from), { count, columns });
    if (to === null) return;
    event.preventDefault();
    wanted.current = to;
    virtualizer.scrollToIndex(Math.floor(to / columns));
    const present = elementAt(list.current, to);
    if (!present) return;
    present.focus({ preventScroll: true });
    wanted.current = null;
  };
  return {
    list,
    onKeyDown,
    first: firstRow * columns,
    end: Math.min(count, endRow * columns),
    /** Pixels of the rows above and below that are not there. */
    above: firstRow * rowPx,
    below: Math.max(0, rows - endRow) * rowPx,
  };
}

const elementAt = (list: Element | null, index: number) =>
  list?.querySelector<HTMLElement>(`[data-index="${index}"]`);

/** Where the element begins in the document, px: what is above it comes and goes. */
function useDocumentTop(element: { current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const read = () => {
      if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

const WIDE = matchMedia('(min-width: 64rem)');
const MEDIUM = matchMedia('(min-width: 40rem)');

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener('change', listener);
  MEDIUM.addEventListener('change', listener);
  return () => {
    WIDE.removeEventListener('change', listener);
    MEDIUM.removeEventListener('change', listener);
  };
}

/** Cards side by side, by the width of the window. */
export const useColumns = (): number =>
  useSyncExternalStore(subscribe, () => (WIDE.matches ? 3 : MEDIUM.matches ? 2 : 1));

/** Tells, after each change, which phones are there. */
export function useTellShown(first: number, end: number, onShown: (first: number, last: number) => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it differs each time and does the same
  useEffect(() => {
    if (end > first) onShown(first, end - 1);
  }, [first, end]);
}
