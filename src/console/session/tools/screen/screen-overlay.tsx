import { createPortal } from 'react-dom';
import type { PlacedNode } from './ui-nodes.ts';

interface ScreenOverlayProps {
  /** The element that covers the video exactly. */
  over: HTMLElement;
  nodes: readonly PlacedNode[];
  chosen: PlacedNode | null;
}

/** Draws the outlines of the nodes over the video. Touches pass through to the phone. */
export function ScreenOverlay({ over, nodes, chosen }: ScreenOverlayProps) {
  return createPortal(
    <svg
      viewBox="0 0 1 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      data-overlay="screen"
      className="pointer-events-none absolute inset-0 size-full overflow-hidden rounded-[1.05rem]"
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
    </svg>,
    over,
  );
}
