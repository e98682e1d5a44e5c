import { adminTexts as text } from '../texts/admin.ts';
import { NamedFilter } from '../ui/filters.tsx';
import { useAccountChoices } from './admin-queries.ts';

interface AccountFilterProps {
  value: string;
  onChange(accountId: string): void;
}

/** A filter by account. */
export function AccountFilter({ value, onChange }: AccountFilterProps) {
  return (
    <NamedFilter
      label={text.account}
      any={text.anyAccount}
      value={value}
      choices={useAccountChoices()}
      onChange={onChange}
    />
  );
}
