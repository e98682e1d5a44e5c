import { StarIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { addressOf, type DeviceFilters, isFiltered, NO_FILTERS } from './device-filters.ts';
import { platformName, vendorName } from './phone-facts.ts';

const text = texts.devices;

interface FilterBarProps {
  filters: DeviceFilters;
  brands: readonly string[];
  osVersions: readonly string[];
  /** Called when the user is about to choose a filter. */
  onUse(): void;
}

export function FilterBar({ filters, brands, osVersions, onUse }: FilterBarProps) {
  const change = (changed: Partial<DeviceFilters>) =>
    navigate(addressOf({ ...filters, ...changed }), { replace: true });
  return (
    <search
      onPointerEnter={onUse}
      onFocus={onUse}
      className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap"
    >
      <SearchField label={text.search} value={filters.name} onChange={(name) => change({ name })} />
      <Select
        className="sm:w-42"
        label={text.brand}
        value={filters.brand}
        options={[['', text.anyBrand], ...brands.map((brand) => [brand, vendorName(brand)] as const)]}
        onChange={(brand) => change({ brand })}
      />
      <Select
        className="sm:w-42"
        label={text.os}
        value={filters.os}
        options={[
          ['', text.anyOs],
          ...osVersions.map(
            (version) => [version, platformName({ platform: 'android', os_version: version })] as const,
          ),
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
      <Button
        aria-pressed={filters.starred}
        onClick={() => change({ starred: !filters.starred })}
        className="text-sm aria-pressed:border-edge aria-pressed:bg-sunken"
      >
        <StarIcon className={`size-4.5 ${filters.starred ? 'fill-current text-warn' : ''}`} />
        {text.favourites}
      </Button>
      {isFiltered(filters) && (
        <Button
          look="quiet"
          size="small"
          className="justify-self-start"
          onClick={() => navigate(addressOf(NO_FILTERS), { replace: true })}
        >
          {texts.listing.clear}
        </Button>
      )}
    </search>
  );
}
