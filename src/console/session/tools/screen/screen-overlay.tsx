import { createPortal } from 'react-dom';
import type { PlacedNode } from './ui-nodes.ts';

export interface PointOnPage {
  clientX: number;
  clientY: number;
}

interface ScreenOverlayProps {
  /** The element that covers the video exactly. */
  over: HTMLElement;
  nodes: readonly PlacedNode[];
  chosen: PlacedNode | null;
  /** The node under the pointer, on the screen or in the list. */
  pointed: PlacedNode | null;
  /** Called when the user clicks to select a node. Null: touches pass through to the phone. */
  onPick: ((at: PointOnPage) => void) | null;
}

/** Draws the outlines of the nodes over the video. */
export function ScreenOverlay({ over, nodes, chosen, pointed, onPick }: ScreenOverlayProps) {
  return createPortal(
    // With the keyboard, nodes are selected in the list.
    <svg
      viewBox="0 0 1 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      data-overlay="screen"
      onClick={onPick ?? undefined}
      className={`absolute inset-0 size-full overflow-hidden rounded-[1.05rem] ${
        onPick ? 'pointer-events-auto cursor-crosshair' : 'pointer-events-none'
      }`}
    >
      {nodes.map(({ node, path }) => (
        <rect
          key={path}
          {...node.bounds}
          fill="none"
          stroke="#4f8cff"
          strokeOpacity="0.75"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {chosen && (
        <rect
          {...chosen.node.bounds}
          fill="#ffb020"
          fillOpacity="0.25"
          stroke="#ffb020"
          strokeWidth="2.5"
          vectorEffect="non-scaling-stroke"
        />
      )}
      {pointed && pointed !== chosen && (
        <rect
          {...pointed.node.bounds}
          data-pointed
          fill="#4f8cff"
          fillOpacity="0.25"
          stroke="#4f8cff"
          strokeWidth="2.5"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>,
    over,
  );
}
