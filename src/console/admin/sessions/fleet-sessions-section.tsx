import { useState } from 'react';
import type { FleetSession } from '../../../contract/http/fleet-session.ts';
import { shortTime } from '../../data/short-time.ts';
import { SessionStatusBadge, SessionStatusFilter, sessionStatusOf } from '../../sessions/session-status.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { AccountFilter } from '../account-filter.tsx';
import { accountAddress, adminAddress } from '../admin-address.ts';
import { useFleetSessions } from '../admin-queries.ts';
import { ReleaseDialog } from '../devices/release-dialog.tsx';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';

const text = adminTexts.sessions;

/** Lists the sessions of all accounts, live and ended. */
export function FleetSessionsSection() {
  const address = useAddress(['status', 'account', 'device']);
  const { filters, page, change } = address;
  const sessions = useFleetSessions({
    status: sessionStatusOf(filters.status),
    account_id: filters.account,
    device_id: filters.device,
    page,
  });
  const [leaving, setLeaving] = useState<FleetSession | null>(null);
  return (
    <>
      <PageHeader title={text.title} detail={sessions.data && text.count(sessions.data.total)} />
      <Filters address={address}>
        <SessionStatusFilter value={filters.status} onChange={(status) => change({ status })} />
        <AccountFilter value={filters.account} onChange={(account) => change({ account })} />
        {filters.device && <p className="text-sm text-soft">{text.ofDevice(filters.device)}</p>}
      </Filters>
      <Listing
        caption={text.title}
        query={sessions}
        sentence={operatorSentence}
        columns={columns(setLeaving)}
        keyOf={({ session_id }) => session_id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
      {leaving && (
        <ReleaseDialog
          deviceId={leaving.device_id}
          deviceName={leaving.device_name}
          accountName={leaving.account.name}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}

const columns = (onRelease: (session: FleetSession) => void): readonly Column<FleetSession>[] => [
  {
    title: text.phone,
    speaksForItself: true,
    cell: ({ device_id, device_name, session_id }) => (
      <>
        <TextLink href={adminAddress('devices', { q: device_id })} className="font-medium">
          {device_name}
        </TextLink>
        <Identifier id={session_id} />
      </>
    ),
  },
  {
    title: text.account,
    className: 'w-32 xl:w-40',
    cell: ({ account, user }) => (
      <>
        <TextLink href={accountAddress(account.id)}>{account.name}</TextLink>
        {user && <p className="break-words text-soft">{user.name}</p>}
      </>
    ),
  },
  {
    title: text.started,
    className: 'w-36 tabular-nums',
    cell: ({ created_at }) => shortTime(created_at),
  },
  {
    title: text.ends,
    className: 'w-36 tabular-nums',
    cell: ({ ended_at, expires_at }) => shortTime(ended_at ?? expires_at),
  },
  { title: text.outcome, className: 'w-32 xl:w-48', cell: (session) => <Outcome session={session} /> },
  {
    title: text.charged,
    className: 'w-20 xl:w-32 tabular-nums',
    cell: ({ minutes_charged, minutes_reserved }) => minutes_charged ?? text.reserved(minutes_reserved),
  },
  {
    title: adminTexts.actions,
    className: 'w-28 text-right',
    cell: (session) =>
      session.status !== 'disconnected' && (
        <Button
          look="danger"
          size="small"
          aria-label={`${text.release} ${session.device_name}`}
          onClick={() => onRelease(session)}
        >
          {text.release}
        </Button>
      ),
  },
];

function Outcome({ session: { status, end_reason, end_detail } }: { session: FleetSession }) {
  if (status !== 'disconnected') return <SessionStatusBadge status={status} />;
  return (
    <>
      <p>{end_reason ? texts.sessions.shortReasons[end_reason] : texts.sessions.statuses.disconnected}</p>
      {end_detail && <p className="break-words text-soft">{end_detail}</p>}
    </>
  );
}
