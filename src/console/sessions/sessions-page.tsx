import { useState } from 'react';
import type { Session } from '../../contract/session.ts';
import { useSessions } from '../data/queries.ts';
import { useInventory } from '../devices/device-query.ts';
import { ClockIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { formatLength } from '../session/time-left.ts';
import { texts } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorMessage, ErrorNote, Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Paging } from '../ui/paging.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';

const text = texts.sessions;
const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function SessionsPage() {
  usePageTitle(text.title);
  const [page, setPage] = useState(1);
  const sessions = useSessions(page);
  return (
    <>
      <h1 className="text-2xl font-semibold">{text.title}</h1>
      <p className="mb-5 text-soft">{text.subtitle}</p>
      {sessions.data && <ErrorNote error={sessions.error} />}
      {sessions.data ? (
        <>
          <SessionTable sessions={sessions.data.items} />
          <Paging
            page={sessions.data.page}
            pageSize={sessions.data.page_size}
            total={sessions.data.total}
            onPage={setPage}
          />
        </>
      ) : (
        sessions.error && <ErrorMessage error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
    </>
  );
}

const CELL = 'px-4 py-3 max-md:p-0';

function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  const inventory = useInventory();
  if (sessions.length === 0) {
    return (
      <Message
        title={text.noneTitle}
        icon={<ClockIcon className="size-6" />}
        action={
          <ButtonLink look="primary" href="/devices">
            {text.toDevices}
          </ButtonLink>
        }
      >
        {text.none}
      </Message>
    );
  }
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-panel shadow-card">
      <table className="w-full text-left text-sm max-md:block">
        <thead className="border-b border-line text-soft max-md:sr-only">
          <tr>
            {[text.phone, text.started, text.lasted, text.ended, text.charged].map((title) => (
              <th key={title} scope="col" className="px-4 py-2.5 font-medium last:text-right">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {sessions.map((session) => (
            <SessionRow
              key={session.session_id}
              session={session}
              name={inventory.data?.byId.get(session.device_id)?.name ?? session.device_id}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SessionRow({ session, name }: { session: Session; name: string }) {
  const { connected_at, ended_at } = session;
  const lasted = connected_at && ended_at ? Date.parse(ended_at) - Date.parse(connected_at) : null;
  return (
    <tr className="hover:bg-sunken/50 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:gap-y-0.5 max-md:px-4 max-md:py-3">
      <td className={`${CELL} font-medium`}>
        <Link href={`/sessions/${session.session_id}`} className="rounded underline-offset-4 hover:underline">
          {name}
        </Link>
      </td>
      <td className={`${CELL} text-soft tabular-nums max-md:order-3`}>
        {when.format(new Date(session.created_at))}
      </td>
      <td className={`${CELL} text-soft tabular-nums max-md:hidden`}>
        {lasted === null ? '—' : formatLength(lasted)}
      </td>
      <td className={`${CELL} max-md:text-right`}>
        <HowItEnded session={session} />
      </td>
      <td className={`${CELL} text-right tabular-nums max-md:order-4`}>
        {text.chargedValue(session.minutes_charged)}
      </td>
    </tr>
  );
}

function HowItEnded({ session }: { session: Session }) {
  if (session.status === 'connected') return <StatusBadge tone="good">{text.live}</StatusBadge>;
  if (session.status === 'connecting') return <StatusBadge tone="own">{text.starting}</StatusBadge>;
  const reason = session.end_reason;
  return <span title={session.end_detail ?? undefined}>{reason ? text.shortReasons[reason] : '—'}</span>;
}
