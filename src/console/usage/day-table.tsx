import type { UsageDays } from '../../contract/http/usage-days.ts';
import { usageTexts as text } from '../texts/usage.ts';
import { AsTable } from '../ui/as-table.tsx';
import { dayName } from './day-name.ts';

export function DayTable({ title, days }: { title: string; days: UsageDays['days'] }) {
  return (
    <AsTable
      label={text.table}
      title={title}
      heads={[text.date, text.sessions, text.chargedMinutes, text.reservedMinutes]}
      rows={days.map(({ date, sessions, minutes, reserved }) => [
        dayName(date),
        ...[sessions, minutes, reserved].map((value) => value.toLocaleString('en')),
      ])}
    />
  );
}
