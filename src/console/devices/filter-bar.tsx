import { useEffect, useState } from 'react';
import { SearchIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { FIELD, Select } from '../ui/select.tsx';
import { addressOf, type DeviceFilters, isFiltered, NO_FILTERS } from './device-filters.ts';

const text = texts.devices;
const TYPING_PAUSE_MS = 200;

export const capitalised = (word: string) => word.charAt(0).toLocaleUpperCase() + word.slice(1);

/** Typing changes the address only when it pauses. */
function NameField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed starts the wait anew
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="relative min-w-0 max-sm:col-span-full sm:min-w-56 sm:grow">
      <SearchIcon className="pointer-events-none absolute top-2.5 left-3 size-5 text-soft" />
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${FIELD} pr-3 pl-10 placeholder:text-soft`}
      />
    </div>
  );
}

interface FilterBarProps {
  filters: DeviceFilters;
  brands: readonly string[];
  osVersions: readonly string[];
}

export function FilterBar({ filters, brands, osVersions }: FilterBarProps) {
  const change = (changed: Partial<DeviceFilters>) =>
    navigate(addressOf({ ...filters, page: 1, ...changed }), { replace: true });
  return (
    <search className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <NameField value={filters.name} onChange={(name) => change({ name })} />
      <Select
        className="sm:w-42"
        label={text.brand}
        value={filters.brand}
        options={[['', text.anyBrand], ...brands.map((brand) => [brand, capitalised(brand)] as const)]}
        onChange={(brand) => change({ brand })}
      />
      <Select
        className="sm:w-42"
        label={text.os}
        value={filters.os}
        options={[
          ['', text.anyOs],
          ...osVersions.map((version) => [version, text.osOption(version)] as const),
        ]}
        onChange={(os) => change({ os })}
      />
      <Select
        className="sm:w-42"
        label={text.status}
        value={filters.status}
        options={[
          ['', text.anyStatus],
          ['available', text.available],
          ['busy', text.busy],
        ]}
        onChange={(status) => change({ status: status as DeviceFilters['status'] })}
      />
      {isFiltered(filters) && (
        <Button look="quiet" size="small" onClick={() => navigate(addressOf(NO_FILTERS), { replace: true })}>
          {text.clear}
        </Button>
      )}
    </search>
  );
}
