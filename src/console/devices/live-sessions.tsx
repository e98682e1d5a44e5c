import type { Session } from '../../contract/http/session.ts';
import { useNow } from '../data/use-now.ts';
import { Link } from '../router.tsx';
import { canControl } from '../session/can-control.ts';
import { nameOfPhone } from '../session/session-view.ts';
import { formatTimeLeft } from '../session/time-left.ts';
import { WallLink } from '../session/wall/wall-link.tsx';
import { texts } from '../texts.ts';

const text = texts.live;

/** Lists the phones that the account currently uses, each with a link to its session. */
export function LiveSessions({ sessions }: { sessions: readonly Session[] }) {
  if (sessions.length === 0) return null;
  return (
    <section aria-labelledby="live-sessions" className="mb-8">
      <div className="mb-1.5 flex h-control-sm items-center justify-between gap-3">
        <h2 id="live-sessions" className="text-sm font-medium text-soft">
          {text.title}
        </h2>
        <WallLink />
      </div>
      <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4 3xl:grid-cols-5">
        {sessions.map((session) => (
          <li key={session.session_id}>
            <LiveSession session={session} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LiveSession({ session }: { session: Session }) {
  const left = Date.parse(session.expires_at) - useNow();
  return (
    <Link
      href={`/sessions/${session.session_id}`}
      className="flex items-center gap-3 rounded-xl bg-strong px-4 py-3 text-on-strong shadow-card hover:bg-strong/90"
    >
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{nameOfPhone(session)}</span>
        <span className="block text-sm opacity-75">{canControl(session) ? text.return : text.watch}</span>
      </span>
      <span className="text-lg font-medium tabular-nums">
        {session.status === 'connecting' ? (
          <span className="text-sm">{text.starting}</span>
        ) : (
          formatTimeLeft(left)
        )}
      </span>
    </Link>
  );
}
