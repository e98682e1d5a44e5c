import type { KeyboardEvent, PointerEvent } from 'react';

interface ResizerProps {
  label: string;
  /** vertical: it is a vertical line, which moves to the left and to the right. */
  orientation: 'vertical' | 'horizontal';
  /** Size of the panel that follows the line. */
  value: number;
  least: number;
  most: number;
  /** Change of the size with an arrow key. */
  step: number;
  /** Returns the size of the panel for a position of the pointer. */
  valueAt(event: PointerEvent): number;
  onChange(value: number): void;
}

/**
 * A line that resizes the panel after it, with the pointer or the arrow keys (ARIA Authoring Practices, Window Splitter
 * Pattern).
 */
export function Resizer(props: ResizerProps) {
  const { label, orientation, value, least, most, step, valueAt, onChange } = props;
  const set = (next: number) => onChange(Math.min(most, Math.max(least, next)));
  const press = (event: KeyboardEvent) => {
    const larger = orientation === 'vertical' ? 'ArrowLeft' : 'ArrowUp';
    const smaller = orientation === 'vertical' ? 'ArrowRight' : 'ArrowDown';
    const next = { [larger]: value + step, [smaller]: value - step, Home: least, End: most }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  const isVertical = orientation === 'vertical';
  const percent = Math.round(((value - least) / (most - least)) * 100);
  return (
    // A separator that moves is a control, unlike <hr>.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      tabIndex={0}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) set(valueAt(event));
      }}
      className={`group absolute z-raised grid touch-none place-items-center outline-offset-0 ${
        isVertical ? 'inset-y-0 -left-1.5 w-3 cursor-col-resize' : 'inset-x-0 -top-1 h-6 cursor-row-resize'
      }`}
    >
      <span
        aria-hidden="true"
        className={`rounded-full transition-colors group-hover:bg-edge group-focus-visible:bg-focus ${
          isVertical ? 'h-10 w-1 bg-transparent' : 'h-1 w-10 bg-line'
        }`}
      />
    </div>
  );
}
