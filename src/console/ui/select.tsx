import { ChevronIcon } from '../icons.tsx';

export const FIELD = 'h-control w-full rounded-lg border border-line bg-panel text-sm hover:border-edge';

interface SelectProps {
  /** The accessible label. `labelledBy` is the id of an element to use instead. */
  label?: string;
  labelledBy?: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  className?: string;
  onChange(value: string): void;
}

/** A native select element, which works with every keyboard, phone and screen reader. */
export function Select({ label, labelledBy, value, options, className = '', onChange }: SelectProps) {
  // The page's address may name an option that was removed from the list or is not loaded yet.
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
