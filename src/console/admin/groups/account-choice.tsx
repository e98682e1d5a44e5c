import { useId, useState } from 'react';
import { groupTexts as text } from '../../texts/groups.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { useAllAccounts } from '../admin-queries.ts';

interface AccountChoiceProps {
  /** Accounts that were selected before. They are shown even while the list is loading. */
  known: readonly { id: string; name: string }[];
  chosen: ReadonlySet<string>;
  onChange(chosen: ReadonlySet<string>): void;
}

/** Largest number of accounts that is shown without a search field. */
const FEW = 8;

/** Selects several accounts from all accounts. The selection of an account that is not shown does not change. */
export function AccountChoice({ known, chosen, onChange }: AccountChoiceProps) {
  const id = useId();
  const [search, setSearch] = useState('');
  const listed = useAllAccounts();
  const all = [...new Map([...known, ...listed].map((account) => [account.id, account])).values()];
  all.sort((a, b) => a.name.localeCompare(b.name));
  const shown = all.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const toggle = (accountId: string) => {
    const next = new Set(chosen);
    if (!next.delete(accountId)) next.add(accountId);
    onChange(next);
  };
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1.5 font-medium">{text.accountsField}</legend>
      {all.length > FEW && (
        <div className="mb-2">
          <SearchField label={text.searchAccounts} value={search} onChange={setSearch} />
        </div>
      )}
      <div className="max-h-56 overflow-y-auto rounded-lg border border-line p-1.5">
        {shown.map((account) => (
          <label
            key={account.id}
            className="flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-2 hover:bg-sunken"
          >
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-strong"
              checked={chosen.has(account.id)}
              onChange={() => toggle(account.id)}
            />
            <span className="min-w-0 break-words">{account.name}</span>
          </label>
        ))}
        {shown.length === 0 && <p className="px-2.5 py-2 text-soft">{text.noSuchAccount}</p>}
      </div>
      <p id={`${id}-hint`} className="mt-1.5 text-sm text-soft">
        {text.chosen(chosen.size)}
      </p>
    </fieldset>
  );
}
