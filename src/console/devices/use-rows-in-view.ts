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

/** Rows rendered beyond each edge of the view, so that scrolling shows no gap. */
const MARGIN_ROWS = 4;
/** Height of the sticky bar that covers the top of the list. */
const UNDER_THE_BAR_PX = 84;

interface Layout {
  /** Number of phones. */
  count: number;
  /** Phones per row. */
  columns: number;
  /** Height of a row including the gap below it, in rem. */
  rowRem: number;
}

/**
 * Computes the part of a long list that is rendered: the rows in view of the scrolling window and some around them.
 * Arrow keys, Home and End move the focus from phone to phone, including phones that are not rendered yet. Each phone
 * is a focusable element with its index in `data-index`.
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
    /** Height of the rows above and below that are not rendered, in pixels. */
    above: firstRow * rowPx,
    below: Math.max(0, rows - endRow) * rowPx,
  };
}

const elementAt = (list: Element | null, index: number) =>
  list?.querySelector<HTMLElement>(`[data-index="${index}"]`);

/**
 * Returns the element's offset from the top of the document, in pixels. It changes when content above the element
 * appears or disappears.
 */
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

/** The widths from which a row has one card more than 1, as in the classes of the grid. */
const WIDTHS = ['40rem', '64rem', '96rem', '112rem'].map((width) => matchMedia(`(min-width: ${width})`));

function subscribe(listener: () => void): () => void {
  for (const width of WIDTHS) width.addEventListener('change', listener);
  return () => {
    for (const width of WIDTHS) width.removeEventListener('change', listener);
  };
}

/** Returns the number of cards per row for the window's width. */
export const useColumns = (): number =>
  useSyncExternalStore(subscribe, () => 1 + WIDTHS.filter(({ matches }) => matches).length);

/** Reports after each change which phones are rendered. */
export function useReportShown(first: number, end: number, onShown: (first: number, last: number) => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it differs each time and does the same
  useEffect(() => {
    if (end > first) onShown(first, end - 1);
  }, [first, end]);
}
