import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Select } from './select.tsx';
import type { useAddress } from './use-address.ts';

interface FiltersProps {
  address: Pick<ReturnType<typeof useAddress>, 'isFiltered' | 'clear'>;
  children: ReactNode;
}

/** The filters of a list, and a button that clears them. */
export function Filters({ address, children }: FiltersProps) {
  return (
    <search className="mb-5 grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      {children}
      {address.isFiltered && (
        <Button look="quiet" size="small" className="justify-self-start" onClick={address.clear}>
          {texts.listing.clear}
        </Button>
      )}
    </search>
  );
}

interface NamedFilterProps {
  label: string;
  any: string;
  value: string;
  choices: readonly { id: string; name: string }[];
  onChange(value: string): void;
}

/** A filter by a value that has an identifier and a name. */
export function NamedFilter({ label, any, value, choices, onChange }: NamedFilterProps) {
  return (
    <Select
      className="sm:w-42"
      label={label}
      value={value}
      options={[['', any], ...choices.map(({ id, name }) => [id, name] as const)]}
      onChange={onChange}
    />
  );
}
