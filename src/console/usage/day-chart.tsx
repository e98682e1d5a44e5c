import type { UsageDays } from '../../contract/http/usage-days.ts';
import { minutes } from '../texts/count.ts';
import { usageTexts as text } from '../texts/usage.ts';
import { Legend, type Series, StackedBars } from '../ui/chart.tsx';
import { dayName } from './day-name.ts';

type Day = UsageDays['days'][number];

const SERIES: readonly Series<Day>[] = [
  { name: text.charged, colour: 'var(--brand)', value: (day) => day.minutes },
  { name: text.setAside, colour: 'var(--edge)', value: (day) => day.reserved },
];

export function DayChart({ title, days }: { title: string; days: readonly Day[] }) {
  return (
    <>
      <Legend series={SERIES} />
      <StackedBars
        title={`${title}. ${text.keyboard}`}
        data={days}
        series={SERIES}
        tick={({ date }) => String(Number(date.slice(8)))}
        heading={({ date }) => dayName(date)}
        format={minutes}
      />
    </>
  );
}
