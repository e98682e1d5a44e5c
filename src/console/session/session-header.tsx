import type { Session } from '../../contract/http/session.ts';
import { useNow } from '../data/use-now.ts';
import { PageBackIcon, RecordIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { replayTexts } from '../texts/replay.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { formatTimeLeft, urgency } from './time-left.ts';

const text = texts.session;

interface SessionHeaderProps {
  session: Session;
  name: string;
  detail: string;
  ending: boolean;
  onExtend(): void;
  onEnd(): void;
}

export function SessionHeader(props: SessionHeaderProps) {
  return (
    <header className="flex items-center gap-x-2 border-b border-line bg-panel px-3 py-2.5 sm:gap-x-3 sm:px-5">
      <BackLink />
      <div className="min-w-0 grow">
        <h1 className="truncate leading-tight font-semibold">{props.name}</h1>
        <p className="truncate text-sm leading-tight text-soft max-sm:hidden">{props.detail}</p>
      </div>
      {props.session.recording && <RecordedSign />}
      <TimeLeft expiresAt={props.session.expires_at} name={props.name} />
      <Button size="small" onClick={props.onExtend} className="max-sm:px-2.5">
        {text.extend}
      </Button>
      <span aria-hidden="true" className="mx-1 h-6 w-px shrink-0 bg-line max-sm:hidden" />
      <Button
        size="small"
        look="danger"
        busy={props.ending}
        onClick={props.onEnd}
        aria-label={text.end}
        className="max-sm:px-2.5"
      >
        <span className="sm:hidden">{text.endShort}</span>
        <span className="max-sm:hidden">{text.end}</span>
      </Button>
    </header>
  );
}

/** Shows that the service records the session. */
export function RecordedSign() {
  return (
    <p
      title={replayTexts.recordedDetail}
      className="flex shrink-0 items-center gap-1.5 rounded-full bg-sunken px-2 py-1 text-xs font-medium text-soft"
    >
      <RecordIcon className="size-4" />
      <span className="max-sm:sr-only">{replayTexts.recorded}</span>
    </p>
  );
}

export function BackLink() {
  return (
    <Link
      href="/devices"
      aria-label={text.back}
      className="-ml-1 grid size-control shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
    >
      <PageBackIcon />
    </Link>
  );
}

const TONE = { calm: '', close: 'text-warn', urgent: 'text-bad', final: 'text-bad' } as const;

/** The countdown. Near the end it is also in the page's title, for users who are looking at another tab. */
export function TimeLeft({ expiresAt, name }: { expiresAt: string; name: string }) {
  const left = Date.parse(expiresAt) - useNow();
  const level = urgency(left);
  usePageTitle(level === 'calm' ? name : `${formatTimeLeft(left)} · ${name}`);
  return (
    <div role="timer" className="text-right">
      <p className="text-xs leading-tight text-soft max-sm:sr-only">{text.timeLeft}</p>
      <p className={`leading-tight sm:text-lg font-semibold tabular-nums ${TONE[level]}`}>
        {formatTimeLeft(left)}
      </p>
    </div>
  );
}

/** The same countdown without a header: in a corner of the stage, so that it covers neither the phone nor the tools. */
export function FloatingTimeLeft(props: { expiresAt: string; name: string }) {
  return (
    <div className="absolute top-3 right-3 z-raised rounded-xl border border-line bg-panel/95 px-3 py-1.5 shadow-card sm:pl-5">
      <h1 className="sr-only">{props.name}</h1>
      <TimeLeft {...props} />
    </div>
  );
}
