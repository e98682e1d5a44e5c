import type { ReactNode } from 'react';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import { FIELD, Select } from '../ui/select.tsx';
import { FollowedList } from './followed-list.tsx';
import type { Playback } from './playback.ts';
import type { LinesState } from './use-lines.ts';

interface ListTabProps<Item extends { t: number }> {
  label: string;
  state: LinesState<unknown>;
  /** The items, and those that match the filter. */
  items: readonly Item[];
  found: readonly Item[];
  search: string;
  onSearch(search: string): void;
  choice: {
    label: string;
    value: string;
    options: readonly (readonly [string, string])[];
    onChange(value: string): void;
  };
  /** Texts for a file that is missing, and for one without items. */
  missing: string;
  empty: string;
  playback: Playback;
  rowHeight: number;
  children(item: Item): ReactNode;
}

/** The filter and the list of a tab, or why there is none. */
export function ListTab<Item extends { t: number }>(props: ListTabProps<Item>) {
  const { label, state, items, found, search, choice, playback, rowHeight, children } = props;
  if (state.phase !== 'loaded') {
    return (
      <Notice>
        {state.phase === 'failed' ? (
          <>
            <span role="alert">{text.linesFailed}</span>
            <Button size="small" className="mt-3 block" onClick={state.retry}>
              {text.retry}
            </Button>
          </>
        ) : state.phase === 'loading' ? (
          text.loadingLines
        ) : (
          props.missing
        )}
      </Notice>
    );
  }
  return (
    <>
      <div className="shrink-0 space-y-2 border-b border-line p-3">
        <div className="flex gap-2">
          <input
            type="search"
            aria-label={text.search}
            placeholder={text.search}
            value={search}
            onChange={(event) => props.onSearch(event.target.value)}
            className={`${FIELD} min-w-0 grow px-3 placeholder:text-soft`}
          />
          <Select {...choice} className="w-36 shrink-0" />
        </div>
        <p role="status" className="text-xs text-soft tabular-nums">
          {text.shown(found.length, items.length)}
        </p>
        {state.lines.isCut && (
          <p className="rounded-lg bg-warn-tint px-3 py-2 text-xs text-warn">
            {text.cut(state.lines.items.length)}
          </p>
        )}
      </div>
      {found.length > 0 ? (
        <FollowedList label={label} items={found} playback={playback} rowHeight={rowHeight}>
          {children}
        </FollowedList>
      ) : (
        <Notice>{items.length === 0 ? props.empty : text.noMatch}</Notice>
      )}
    </>
  );
}

const Notice = ({ children }: { children: ReactNode }) => (
  <div className="p-4 text-sm text-soft">{children}</div>
);
