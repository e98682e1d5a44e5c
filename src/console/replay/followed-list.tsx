import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import type { Playback } from './playback.ts';
import { indexAt } from './timeline.ts';
import { usePosition } from './use-playback.ts';

/** Rows rendered beyond each edge of the view, so that scrolling shows no gap. */
const MARGIN_ROWS = 10;

interface FollowedListProps<Item extends { t: number }> {
  label: string;
  /** In the order of time. */
  items: readonly Item[];
  playback: Playback;
  /** Height of a row until it is measured, in pixels. */
  rowHeight: number;
  children(item: Item): ReactNode;
}

/**
 * A list in which the latest item is highlighted and scrolled into view, until the user scrolls. Choosing an item, with
 * the pointer or with the up and down arrows, seeks to its time. Renders only the rows in view.
 */
export function FollowedList<Item extends { t: number }>(props: FollowedListProps<Item>) {
  const { label, items, children } = props;
  const id = useId();
  const { box, rows, current, isFollowing, setFollowing, choose, press } = useFollowing(props);
  const shown = rows.getVirtualItems();
  const isRendered = shown.some(({ index }) => index === current);
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div
        ref={box}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={isRendered ? `${id}-${current}` : undefined}
        onKeyDown={press}
        onWheel={() => setFollowing(false)}
        onTouchMove={() => setFollowing(false)}
        // The scroll bar belongs to the box itself.
        onPointerDown={(event) => event.target === box.current && setFollowing(false)}
        className="min-h-0 grow overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
          <div role="presentation" style={{ paddingTop: shown[0]?.start ?? 0 }}>
            {shown.map(({ index }) => {
              const item = items[index];
              return (
                item && (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the list choose an item
                  // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus (aria-activedescendant)
                  <div
                    key={index}
                    ref={rows.measureElement}
                    data-index={index}
                    id={`${id}-${index}`}
                    role="option"
                    aria-selected={index === current}
                    aria-posinset={index + 1}
                    aria-setsize={items.length}
                    onClick={() => choose(index)}
                    className="cursor-pointer border-l-2 border-transparent hover:bg-sunken aria-selected:border-strong aria-selected:bg-sunken"
                  >
                    {children(item)}
                  </div>
                )
              );
            })}
          </div>
        </div>
      </div>
      {!isFollowing && <FollowButton onClick={() => setFollowing(true)} />}
    </div>
  );
}

/** The current item, what the user chose, and whether the list follows the playback. */
function useFollowing<Item extends { t: number }>({
  items,
  playback,
  rowHeight,
}: Pick<FollowedListProps<Item>, 'items' | 'playback' | 'rowHeight'>) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  // Items of the same time cannot be told apart by the time, so the chosen one counts while the time is the same.
  const [chosen, setChosen] = useState<{ item: Item; at: number } | null>(null);
  const current = usePosition(playback, (time) => {
    const index = chosen?.at === time ? items.indexOf(chosen.item) : -1;
    return index >= 0 ? index : indexAt(items, time);
  });
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: MARGIN_ROWS,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows also when rows turn out to be higher
  useEffect(() => {
    if (isFollowing && items.length > 0) rows.scrollToIndex(Math.max(0, current), { align: 'auto' });
  }, [isFollowing, current, items, height]);
  const choose = (index: number) => {
    const item = items[index];
    if (!item) return;
    playback.seek(item.t);
    setChosen({ item, at: playback.position() });
    setFollowing(true);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'PageUp' || event.key === 'PageDown') return setFollowing(false);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(Math.min(items.length - 1, Math.max(0, current + step)));
  };
  return { box, rows, current, isFollowing, setFollowing, choose, press };
}

const FollowButton = ({ onClick }: { onClick(): void }) => (
  <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
    <Button size="small" className="pointer-events-auto shadow-lift" onClick={onClick}>
      {text.follow}
    </Button>
  </div>
);
