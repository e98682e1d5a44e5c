import { useId } from 'react';
import { useAppChoices } from '../data/app-queries.ts';
import { Link } from '../router.tsx';
import { texts } from '../texts.ts';
import { Select } from '../ui/select.tsx';

const text = texts.apps;

interface AppPickerProps {
  /** Empty if no app is selected. */
  value: string;
  onChange(appId: string): void;
}

/** Selects one of the account's apps, or none. */
export function AppPicker({ value, onChange }: AppPickerProps) {
  const heading = useId();
  const choices = useAppChoices().data;
  const { items, total } = choices ?? { items: [], total: null };
  return (
    // As high as with apps, so that the buttons below stay under the pointer while the apps load.
    <div className="min-h-24.5">
      <p id={heading} className="mb-2 font-medium">
        {text.choose}
      </p>
      {total === null ? null : total === 0 ? (
        <p className="text-sm text-soft">
          {text.chooseEmpty}{' '}
          <Link href="/apps" className="rounded font-medium text-ink underline underline-offset-4">
            {text.chooseEmptyLink}
          </Link>
        </p>
      ) : (
        <>
          <Select
            labelledBy={heading}
            value={value}
            options={[
              ['', text.chooseNone],
              ...items.map((app) => [app.id, `${app.name} ${app.version}`.trim()] as const),
            ]}
            onChange={onChange}
          />
          <p className="mt-1.5 text-sm text-soft">
            {text.chooseHint}
            {items.length < total && ` ${text.chooseNewest(items.length)}`}
          </p>
        </>
      )}
    </div>
  );
}
