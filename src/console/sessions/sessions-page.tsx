import type { Session } from '../../contract/http/session.ts';
import { useSessions } from '../data/queries.ts';
import { useNow } from '../data/use-now.ts';
import { useInventory } from '../devices/device-query.ts';
import { HistoryIcon, RecordIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { nameOfPhone } from '../session/session-view.ts';
import { formatLength, formatTimeLeft } from '../session/time-left.ts';
import { WallLink } from '../session/wall/wall-link.tsx';
import { replayTexts } from '../texts/replay.ts';
import { texts } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Filters, NamedFilter } from '../ui/filters.tsx';
import { Listing } from '../ui/listing.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { useAddress } from '../ui/use-address.ts';
import { lengthOf } from './session-events.ts';
import { SessionStatusBadge, SessionStatusFilter, sessionStatusOf } from './session-status.tsx';

const text = texts.sessions;
const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Lists the sessions of the user's account, live and ended. */
export function SessionsPage() {
  const address = useAddress(['status', 'device']);
  const { filters, page, change } = address;
  const sessions = useSessions({ status: sessionStatusOf(filters.status), device_id: filters.device, page });
  const devices = useInventory()?.byId;
  const phones = [...(devices?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  return (
    <>
      <PageHeader title={text.title} subtitle={text.subtitle}>
        <WallLink />
      </PageHeader>
      <Filters address={address}>
        <SessionStatusFilter value={filters.status} onChange={(status) => change({ status })} />
        <NamedFilter
          label={text.phone}
          any={text.anyPhone}
          value={filters.device}
          choices={phones}
          onChange={(device) => change({ device })}
        />
      </Filters>
      <Listing
        caption={text.title}
        query={sessions}
        columns={COLUMNS}
        keyOf={({ session_id }) => session_id}
        address={address}
        empty={{
          title: text.noneTitle,
          text: text.none,
          icon: <HistoryIcon className="size-6" />,
          action: TO_DEVICES,
        }}
      />
    </>
  );
}

const TO_DEVICES = (
  <ButtonLink look="primary" href="/devices">
    {text.toDevices}
  </ButtonLink>
);

const COLUMNS: readonly Column<Session>[] = [
  {
    title: text.phone,
    speaksForItself: true,
    className: 'font-medium',
    cell: (session) => (
      <span className="flex items-start gap-1.5">
        <TextLink href={`/sessions/${session.session_id}/details`} className="min-w-0">
          {nameOfPhone(session)}
        </TextLink>
        {session.recording && <ReplayLink session={session} />}
      </span>
    ),
  },
  {
    title: text.by,
    className: 'text-soft break-words md:max-w-48',
    cell: ({ created_by }) => created_by?.name ?? '—',
  },
  {
    title: text.started,
    className: 'text-soft tabular-nums',
    cell: ({ created_at }) => when.format(new Date(created_at)),
  },
  {
    title: text.lasted,
    className: 'text-soft tabular-nums',
    cell: (session) => <Length session={session} />,
  },
  {
    title: text.status,
    className: 'md:max-w-72',
    cell: (session) => <HowItEnded session={session} />,
  },
  {
    title: text.charged,
    className: 'md:text-right tabular-nums',
    cell: ({ minutes_charged }) => text.chargedValue(minutes_charged),
  },
];

/** Marks a session that was recorded. */
function ReplayLink({ session }: { session: Session }) {
  return (
    <Tooltip text={replayTexts.open}>
      <Link
        href={`/sessions/${session.session_id}/replay`}
        aria-label={replayTexts.openOf(nameOfPhone(session))}
        className="-my-1.5 grid size-8 shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
      >
        <RecordIcon className="size-4.5" />
      </Link>
    </Tooltip>
  );
}

/** Counts up while the session is live. */
function Length({ session }: { session: Session }) {
  return session.ended_at === null ? (
    <LiveLength session={session} />
  ) : (
    shown(lengthOf(session, 0), formatLength)
  );
}

function LiveLength({ session }: { session: Session }) {
  return shown(lengthOf(session, useNow()), formatTimeLeft);
}

const shown = (length: number | null, format: (length: number) => string) =>
  length === null ? '—' : format(length);

/** Links to a live session, or shows how an ended one ended. */
function HowItEnded({ session: { session_id, status, end_reason, end_detail } }: { session: Session }) {
  if (status !== 'disconnected') {
    return (
      <Link href={`/sessions/${session_id}`} className="rounded-full">
        <SessionStatusBadge status={status} />
      </Link>
    );
  }
  return (
    <>
      {end_reason ? text.shortReasons[end_reason] : '—'}
      {end_detail && <span className="block text-soft">“{end_detail}”</span>}
    </>
  );
}
