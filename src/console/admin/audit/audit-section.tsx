import type { AuditEntry } from '../../../contract/http/audit.ts';
import { exactTime } from '../../data/short-time.ts';
import { fileNameNow, saveFile } from '../../session/save-file.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Filters, NamedFilter } from '../../ui/filters.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { FIELD } from '../../ui/select.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { AccountFilter } from '../account-filter.tsx';
import { useAudit, useExportAudit } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { AUDIT_FILTERS, type AuditFilters, auditQueryOf } from './audit-query.ts';

const text = adminTexts.audit;
const ACTIONS = Object.entries(text.actions).map(([id, name]) => ({ id, name }));

/** Lists the audit events. */
export function AuditSection() {
  const address = useAddress(AUDIT_FILTERS);
  const { filters, page, change } = address;
  const entries = useAudit({ ...auditQueryOf(filters), page });
  return (
    <>
      <PageHeader title={text.title} subtitle={text.subtitle}>
        <ExportButton filters={filters} />
      </PageHeader>
      <Filters address={address}>
        <SearchField label={text.target} value={filters.target} onChange={(target) => change({ target })} />
        <AccountFilter value={filters.account} onChange={(account) => change({ account })} />
        <NamedFilter
          label={text.action}
          any={text.anyAction}
          value={filters.action}
          choices={ACTIONS}
          onChange={(action) => change({ action })}
        />
        <div className="contents gap-2 sm:flex">
          <DayField label={text.since} value={filters.since} onChange={(since) => change({ since })} />
          <DayField label={text.until} value={filters.until} onChange={(until) => change({ until })} />
        </div>
      </Filters>
      <Listing
        caption={text.title}
        query={entries}
        sentence={operatorSentence}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
    </>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

function DayField({ label, value, onChange }: DayFieldProps) {
  return (
    <label className="flex min-w-0 items-center gap-2 text-sm text-soft">
      {label}
      <input
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${FIELD} min-w-0 px-2 text-ink sm:w-38`}
      />
    </label>
  );
}

/** Downloads all entries that match, not only those of this page. */
function ExportButton({ filters }: { filters: AuditFilters }) {
  const trail = useExportAudit();
  const save = () =>
    trail.mutate(auditQueryOf(filters), {
      onSuccess: (file) => {
        saveFile(file, fileNameNow(text.title, '.jsonl'));
        toast(text.exported);
      },
      onError: (error) => toast(operatorSentence(error), { tone: 'bad' }),
    });
  return (
    <Button busy={trail.isPending} onClick={save}>
      {trail.isPending ? text.exporting : text.export}
    </Button>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: text.when, className: 'w-36 xl:w-60 tabular-nums', cell: ({ at }) => exactTime(at) },
  { title: text.what, className: 'font-medium', cell: ({ action }) => actionName(action) },
  { title: text.who, className: 'w-52 xl:w-62', cell: (entry) => <Who entry={entry} /> },
  {
    title: text.onWhat,
    className: 'w-64 xl:w-80',
    cell: ({ targets }) =>
      targets.map(({ kind, id, name }) => (
        <p key={id} className="break-words not-first:mt-1">
          <span className="text-soft">{text.kinds[kind]}</span> {name}
          <code className="block text-xs break-all text-soft">{id}</code>
        </p>
      )),
  },
  {
    title: text.outcome,
    className: 'w-32 xl:w-40',
    cell: ({ code, count }) => (
      <>
        {code === 0 ? (
          <StatusBadge tone="good">{text.done}</StatusBadge>
        ) : (
          <StatusBadge tone="bad">{text.refused(code)}</StatusBadge>
        )}
        {count > 1 && <p className="mt-1 text-xs text-soft">{text.times(count)}</p>}
      </>
    ),
  },
];

const CLI = 'cli.';

/** Returns a readable name of an operation, or the operation's identifier if it has none. */
function actionName(action: string): string {
  if (action.startsWith(CLI)) return text.cli(actionName(action.slice(CLI.length)));
  return text.actions[action] ?? action;
}

function Who({ entry: { account, user, key, address } }: { entry: AuditEntry }) {
  const details = [key && text.withKey(key.prefix), address && text.from(address)].filter(Boolean);
  return (
    <>
      <p className="break-words">{[user?.name, account?.name ?? text.nobody].filter(Boolean).join(', ')}</p>
      <p className="text-soft">{details.join(', ')}</p>
    </>
  );
}
