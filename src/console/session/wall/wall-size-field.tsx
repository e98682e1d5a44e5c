import { texts } from '../../texts.ts';
import { WALL_SIZES, type WallLayout } from './wall-layout.ts';

const text = texts.wall;

/** Sets how large the phones are. A narrow window shows one phone per row, as wide as it is. */
export function WallSizeField({
  layout,
  onChange,
}: {
  layout: WallLayout;
  onChange(layout: WallLayout): void;
}) {
  return (
    <div className="flex items-center gap-4 text-sm max-md:hidden">
      <input
        type="range"
        aria-label={text.size}
        title={text.size}
        min={WALL_SIZES.least}
        max={WALL_SIZES.most}
        step={WALL_SIZES.step}
        value={layout.size}
        onChange={(event) => onChange({ size: Number(event.target.value), fit: false })}
        className="w-36 accent-strong"
      />
      <label className="flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          checked={layout.fit}
          onChange={(event) => onChange({ ...layout, fit: event.target.checked })}
          className="size-4 accent-strong"
        />
        {text.fit}
      </label>
    </div>
  );
}
