import type { ReactNode } from 'react';
import { adminTexts as text } from '../texts/admin.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';

interface FiltersProps {
  isFiltered: boolean;
  onClear(): void;
  children: ReactNode;
}

export function Filters({ isFiltered, onClear, children }: FiltersProps) {
  return (
    <search className="mb-5 grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      {children}
      {isFiltered && (
        <Button look="quiet" size="small" onClick={onClear}>
          {text.clear}
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

/** A filter by a resource that has an identifier and a name. */
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
