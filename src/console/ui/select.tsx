import { ChevronIcon } from '../icons.tsx';

export const FIELD = 'h-10 w-full rounded-lg border border-line bg-panel text-sm hover:border-edge';

interface SelectProps {
  /** What it is for; or the id of the element that says so. */
  label?: string;
  labelledBy?: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  className?: string;
  onChange(value: string): void;
}

/** The browser's own list to choose from: every keyboard, phone and screen reader knows it. */
export function Select({ label, labelledBy, value, options, className = '', onChange }: SelectProps) {
  // An address may name what is not in the list any more, or not yet.
  const known = options.some(([option]) => option === value);
  return (
    <div className={`relative min-w-0 ${className}`}>
      <select
        aria-label={label}
        aria-labelledby={labelledBy}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${FIELD} appearance-none truncate pr-9 pl-3 ${value ? 'border-edge font-medium' : ''}`}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
        {!known && <option value={value}>{value}</option>}
      </select>
      <ChevronIcon className="pointer-events-none absolute top-2.5 right-2.5 size-5 text-soft" />
    </div>
  );
}
