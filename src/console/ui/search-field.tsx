import { useEffect, useState } from 'react';
import { SearchIcon } from '../icons.tsx';
import { FIELD } from './select.tsx';

const TYPING_PAUSE_MS = 250;

interface SearchFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** A search field that reports the typed text when the user pauses typing. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed starts the wait anew
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="relative min-w-0 max-sm:col-span-full sm:min-w-56 sm:grow sm:max-w-xl">
      <SearchIcon className="pointer-events-none absolute top-2.5 left-3 size-5 text-soft" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${FIELD} pr-3 pl-10 placeholder:text-soft`}
      />
    </div>
  );
}
