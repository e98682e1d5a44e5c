import type { ReactNode } from 'react';
import type { Utilisation } from '../../../contract/http/utilisation.ts';
import { dayTick, hourTick, shortTime } from '../../data/short-time.ts';
import { adminTexts } from '../../texts/admin.ts';
import { AsTable } from '../../ui/as-table.tsx';
import { Legend, type Series, StackedBars } from '../../ui/chart.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Select } from '../../ui/select.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { useUtilisation } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { freeOf, percentOf, totalsOf } from './totals.ts';

const text = adminTexts.utilisation;

type Hour = Utilisation['hours'][number];

const SERIES: readonly Series<Hour>[] = [
  { name: text.inUse, colour: 'var(--brand)', value: (hour) => hour.in_use_minutes },
  { name: text.free, colour: 'var(--edge)', value: freeOf },
];

/** Shows how much of the fleet is in use. */
export function UtilisationSection() {
  const { filters, change } = useAddress(['hours']);
  const chosen = text.spans.find(([hours]) => hours === filters.hours) ?? text.spans[0];
  const utilisation = useUtilisation(Number(chosen[0]));
  return (
    <>
      <PageHeader title={text.title} subtitle={text.subtitle}>
        <Select
          label={text.span}
          value={chosen[0]}
          options={text.spans}
          onChange={(hours) => change({ hours: hours === text.spans[0][0] ? '' : hours })}
          className="w-44"
        />
      </PageHeader>
      <Loaded query={utilisation} sentence={operatorSentence}>
        {({ hours }) => <Hours title={text.chart(chosen[1])} hours={hours} />}
      </Loaded>
    </>
  );
}

function Hours({ title, hours }: { title: string; hours: readonly Hour[] }) {
  const { inUse, offered, percent, busiest, gaps } = totalsOf(hours);
  return (
    <>
      <div className="grid gap-3.5 sm:grid-cols-2">
        <Card title={text.overall} value={text.share(percent)}>
          {offered === 0 ? text.nothing : text.overallOf(round(inUse), round(offered))}
        </Card>
        <Card title={text.busiest} value={text.share(busiest && percentOf(busiest))}>
          {busiest && busiest.offered_minutes > 0 && shortTime(busiest.hour)}
        </Card>
      </div>
      <section className="mt-4 rounded-2xl border border-line bg-panel p-4 shadow-card sm:p-6">
        <h2 className="mb-3 font-semibold">{title}</h2>
        <Legend series={SERIES} />
        <StackedBars
          title={`${title}. ${text.keyboard}`}
          data={hours}
          series={SERIES}
          tick={({ hour }) => tickOf(hour, hours.length)}
          heading={(hour) => `${shortTime(hour.hour)} · ${text.share(percentOf(hour))}`}
          format={text.value}
        />
        {gaps > 0 && <p className="mt-2 text-sm text-soft">{text.gaps(gaps)}</p>}
        <AsTable
          label={text.table}
          title={title}
          heads={[text.hour, text.inUse, text.offered, text.percent]}
          rows={hours.map((hour) => [
            shortTime(hour.hour),
            text.value(hour.in_use_minutes),
            text.value(hour.offered_minutes),
            text.share(percentOf(hour)),
          ])}
        />
      </section>
    </>
  );
}

/** A chart of more than three days has no room for hours, so it labels only the days. */
const tickOf = (hour: string, hours: number) => (hours > 72 ? dayTick : hourTick)(hour);

const round = (minutes: number) => Math.round(minutes).toLocaleString('en');

function Card({ title, value, children }: { title: string; value: string; children: ReactNode }) {
  return (
    <section className="rounded-2xl border border-line bg-panel p-5 shadow-card">
      <h2 className="text-sm font-medium text-soft">{title}</h2>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</p>
      <p className="mt-1 text-sm text-soft">{children}</p>
    </section>
  );
}
