import { type KeyboardEvent, useEffect, useRef } from 'react';
import { texts } from '../../../texts.ts';
import type { PlacedNode } from './ui-nodes.ts';

const text = texts.tools.screen;
/** Maximum number of items listed. On a screen with more, the user selects a node by pointing at it. */
const MOST_LISTED = 400;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

interface NodeListProps {
  nodes: readonly PlacedNode[];
  chosenPath: string | null;
  /** The node under the pointer on the phone's screen. */
  pointedPath: string | null;
  onChoose(path: string): void;
  /** Called with the node under the pointer in the list. */
  onPoint(path: string | null): void;
}

/**
 * Lists all nodes on the screen to select one. The list is a single tab stop. Arrow keys, Home and End move within
 * it.
 */
export function NodeList({ nodes, chosenPath, pointedPath, onChoose, onPoint }: NodeListProps) {
  const list = useRef<HTMLUListElement>(null);
  const listed = nodes.slice(0, MOST_LISTED);
  const at = Math.max(
    0,
    listed.findIndex(({ path }) => path === chosenPath),
  );
  useEffect(() => {
    const row = pointedPath === null ? null : list.current?.querySelector(`[data-path="${pointedPath}"]`);
    if (row) showIn(list.current, row);
  }, [pointedPath]);
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const edge = event.key === 'Home' ? 0 : event.key === 'End' ? listed.length - 1 : null;
    const next = step === undefined ? edge : Math.min(listed.length - 1, Math.max(0, at + step));
    const node = next === null ? undefined : listed[next];
    if (next === null || !node) return;
    event.preventDefault();
    onChoose(node.path);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <>
      <ul ref={list} className="relative -mx-2 min-h-0 grow overflow-y-auto p-0.5" onKeyDown={move}>
        {listed.map(({ node, path, depth }, index) => (
          <li key={path} data-path={path}>
            <button
              type="button"
              aria-pressed={path === chosenPath}
              data-pointed={path === pointedPath || undefined}
              tabIndex={index === at ? 0 : -1}
              onClick={() => onChoose(path)}
              onFocus={() => onChoose(path)}
              onPointerEnter={() => onPoint(path)}
              onPointerLeave={() => onPoint(null)}
              style={{ paddingInlineStart: 8 + Math.min(depth, 12) * 12 }}
              className="flex w-full gap-2 truncate rounded-md py-1 pr-2 text-left text-sm hover:bg-sunken aria-pressed:bg-sunken data-pointed:bg-sunken"
            >
              <span className="shrink-0 text-soft">{node.role}</span>
              <span className="truncate font-medium">{node.text ?? node.id ?? ''}</span>
            </button>
          </li>
        ))}
      </ul>
      {nodes.length > MOST_LISTED && (
        <p className="mt-2 text-sm text-soft">{text.more(nodes.length - MOST_LISTED)}</p>
      )}
    </>
  );
}

/** Scrolls only the list, and not the tools around it. */
function showIn(list: HTMLElement | null, row: Element): void {
  if (!list) return;
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop += inner.top - outer.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}
