import type { Session } from '../../contract/session.ts';
import { useNow } from '../data/use-now.ts';
import { BackIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { formatTimeLeft, urgency } from './time-left.ts';

const text = texts.session;

interface SessionHeaderProps {
  session: Session;
  name: string;
  detail: string;
  disconnecting: boolean;
  onExtend(): void;
  onDisconnect(): void;
}

export function SessionHeader(props: SessionHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-panel px-3 py-2.5 sm:px-5">
      <Link
        href="/devices"
        aria-label={text.back}
        className="-ml-1 grid size-10 shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
      >
        <BackIcon />
      </Link>
      <div className="min-w-0 grow">
        <h1 className="truncate leading-tight font-semibold">{props.name}</h1>
        <p className="truncate text-sm leading-tight text-soft">{props.detail}</p>
      </div>
      <TimeLeft expiresAt={props.session.expires_at} />
      <div className="flex gap-2 max-sm:w-full max-sm:*:grow">
        <Button size="small" onClick={props.onExtend}>
          {text.extend}
        </Button>
        <Button size="small" look="danger" busy={props.disconnecting} onClick={props.onDisconnect}>
          {text.disconnect}
        </Button>
      </div>
    </header>
  );
}

const TONE = { calm: '', close: 'text-warn', urgent: 'text-bad' } as const;

function TimeLeft({ expiresAt }: { expiresAt: string }) {
  const left = Date.parse(expiresAt) - useNow();
  return (
    <div role="timer" className="text-right sm:mr-2">
      <p className="text-xs leading-tight text-soft">{text.timeLeft}</p>
      <p className={`text-lg leading-tight font-semibold tabular-nums ${TONE[urgency(left)]}`}>
        {formatTimeLeft(left)}
      </p>
    </div>
  );
}
