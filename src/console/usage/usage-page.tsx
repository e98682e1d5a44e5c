import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Usage } from '../../contract/http/usage.ts';
import type { UsageDays } from '../../contract/http/usage-days.ts';
import { useClient } from '../account/account.tsx';
import { formatBytes } from '../data/format-bytes.ts';
import { useUsage } from '../data/queries.ts';
import { useNow } from '../data/use-now.ts';
import { usageTexts as text } from '../texts/usage.ts';
import { AsTable } from '../ui/as-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useAddress } from '../ui/use-address.ts';
import { DayChart } from './day-chart.tsx';
import { dayName } from './day-name.ts';
import { isMonth, monthName } from './month.ts';
import { MonthPicker } from './month-picker.tsx';
import { QuotaBar } from './quota-bar.tsx';

const DAY_MS = 86_400_000;
const DAYS_POLL_MS = 15_000;
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

function useUsageDays(month: string | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: ['usage', 'days', month],
    queryFn: ({ signal }) => client.getUsageDays(month, signal),
    refetchInterval: DAYS_POLL_MS,
    placeholderData: keepPreviousData,
  });
}

export function UsagePage() {
  const address = useAddress(['month']);
  const chosen = isMonth(address.filters.month) ? address.filters.month : undefined;
  const usage = useUsage();
  const days = useUsageDays(chosen);
  return (
    <>
      <PageHeader title={text.title} subtitle={usage.data && text.subtitle(usage.data.account)} />
      <Loaded query={usage}>{(data) => <Standing usage={data} />}</Loaded>
      {usage.data && (
        <section className="mt-6 rounded-2xl border border-line bg-panel p-4 shadow-card sm:p-6">
          <MonthPicker
            month={chosen ?? usage.data.month}
            latest={usage.data.month}
            onChange={(month) => address.change({ month: month === usage.data.month ? '' : month })}
          />
          <div className="mt-4">
            <Loaded query={days}>{(data) => <Days usage={data} />}</Loaded>
          </div>
        </section>
      )}
    </>
  );
}

/** Shows the account's usage and limits in the current month. */
function Standing({ usage }: { usage: Usage }) {
  const { minutes, sessions, app_bytes, artifact_bytes, resets_at } = usage;
  const now = useNow();
  const resets = new Date(resets_at);
  return (
    <div className="grid gap-3.5 sm:grid-cols-2 sm:max-xl:*:first:col-span-2 xl:grid-cols-5">
      <Card
        title={text.leftTitle}
        value={minutes.remaining === null ? text.unlimited : `${minutes.remaining.toLocaleString('en')} min`}
      >
        {text.used(minutes.used - minutes.reserved, minutes.limit)}
        {minutes.limit !== null && (
          <QuotaBar minutes={minutes} limit={minutes.limit} className="mt-2 h-1.5" />
        )}
        {minutes.reserved > 0 && <span className="mt-2 block">{text.reserved(minutes.reserved)}</span>}
      </Card>
      <Card title={text.resetsTitle} value={day.format(resets)}>
        {text.resets(Math.floor((resets.getTime() - now) / DAY_MS))}
      </Card>
      <Card title={text.liveTitle} value={sessions.live.toLocaleString('en')}>
        {text.liveLimit(sessions.limit)}
      </Card>
      <Card title={text.appsTitle} value={formatBytes(app_bytes.used)}>
        {text.storageLimit(app_bytes.limit === null ? null : formatBytes(app_bytes.limit))}
      </Card>
      <Card title={text.recordingsTitle} value={formatBytes(artifact_bytes.used)}>
        {text.storageLimit(artifact_bytes.limit === null ? null : formatBytes(artifact_bytes.limit))}
      </Card>
    </div>
  );
}

function Card({ title, value, children }: { title: string; value: string; children: ReactNode }) {
  return (
    <section className="rounded-2xl border border-line bg-panel p-5 shadow-card">
      <h2 className="text-sm font-medium text-soft">{title}</h2>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</p>
      <p className="mt-1 text-sm text-soft">{children}</p>
    </section>
  );
}

function Days({ usage: { month, days } }: { usage: UsageDays }) {
  const used = days.reduce((sum, { minutes, reserved }) => sum + minutes + reserved, 0);
  const sessions = days.reduce((sum, one) => sum + one.sessions, 0);
  const title = text.chartTitle(monthName(month));
  return (
    <>
      <h2 className="font-semibold">{title}</h2>
      <p className="mb-4 text-sm text-soft">{sessions === 0 ? text.none : text.total(used, sessions)}</p>
      <DayChart title={title} days={days} />
      <DayTable title={title} days={days} />
    </>
  );
}

function DayTable({ title, days }: { title: string; days: UsageDays['days'] }) {
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
