import { ChevronIcon } from '../icons.tsx';
import { usageTexts as text } from '../texts/usage.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { monthAfter, monthName } from './month.ts';

/** Number of months in the list. Earlier months can be reached with the buttons and the address. */
const LISTED_MONTHS = 13;

interface MonthPickerProps {
  month: string;
  /** The current month. */
  latest: string;
  onChange(month: string): void;
}

export function MonthPicker({ month, latest, onChange }: MonthPickerProps) {
  const listed = Array.from({ length: LISTED_MONTHS }, (_, back) => monthAfter(latest, -back));
  const months = listed.includes(month) ? listed : [...listed, month];
  return (
    <div className="-ml-2.5 flex items-center gap-1">
      <IconButton
        label={text.earlier}
        icon={<ChevronIcon className="size-5 rotate-90" />}
        onClick={() => onChange(monthAfter(month, -1))}
        size="small"
      />
      <Select
        label={text.month}
        value={month}
        options={months.map((one) => [one, monthName(one)] as const)}
        onChange={onChange}
        className="w-48"
      />
      <IconButton
        label={text.later}
        icon={<ChevronIcon className="size-5 -rotate-90" />}
        disabled={month >= latest}
        onClick={() => onChange(monthAfter(month, 1))}
        size="small"
      />
    </div>
  );
}
