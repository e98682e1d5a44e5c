import { useState } from 'react';
import type { Session } from '../../contract/http/session.ts';
import { ConnectDialog } from '../devices/connect-dialog.tsx';
import { ClockIcon } from '../icons.tsx';
import { replayTexts } from '../texts/replay.ts';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Message } from '../ui/message.tsx';
import { CaptureGallery, useCaptures } from './captures/capture-gallery.tsx';
import { formatLength } from './time-left.ts';

const text = texts.ended;

/** Shows why the session ended, how long it lasted and what was used, and offers the next actions. */
export function SessionEnded({ session, name }: { session: Session; name: string }) {
  const [connecting, setConnecting] = useState(false);
  const items = useCaptures(session.session_id);
  const { end_reason } = session;
  return (
    <>
      <Message
        title={text.title}
        isPage
        icon={<ClockIcon className="size-6" />}
        action={
          <>
            <Button look="primary" onClick={() => setConnecting(true)}>
              {text.again}
            </Button>
            <Replay session={session} />
            <ButtonLink href="/devices">{text.toDevices}</ButtonLink>
            <ButtonLink look="quiet" href="/sessions">
              {text.toSessions}
            </ButtonLink>
          </>
        }
      >
        {end_reason ? text.reasons[end_reason] : text.unknown}
        <Detail session={session} />
        <Account session={session} />
      </Message>
      {items.length > 0 && (
        <section className="mx-auto max-w-3xl">
          <h2 className="mb-1 font-semibold">{texts.tools.captures.title}</h2>
          <p className="mb-3 text-sm text-soft">{texts.tools.captures.kept}</p>
          <CaptureGallery items={items} />
        </section>
      )}
      {connecting && (
        <ConnectDialog device={{ id: session.device_id, name }} onClose={() => setConnecting(false)} />
      )}
    </>
  );
}

/** Link to the replay. Shows the state of the recording until it can be replayed. */
function Replay({ session }: { session: Session }) {
  const { recording } = session;
  if (recording === null || recording.status === 'failed') return null;
  if (recording.status === 'complete') {
    return <ButtonLink href={`/sessions/${session.session_id}/replay`}>{replayTexts.open}</ButtonLink>;
  }
  return (
    <Button busy title={replayTexts.waitForReplay}>
      {replayTexts.open}
    </Button>
  );
}

/** The detail of the end: the error of the phone or its host, the operator's reason, or what was revoked. */
function Detail({ session: { end_detail } }: { session: Session }) {
  if (!end_detail) return null;
  return (
    <span className="mt-3 block rounded-lg bg-sunken px-3.5 py-2.5 text-sm text-ink">
      {text.detail} “{end_detail}”
    </span>
  );
}

function Account({ session }: { session: Session }) {
  const { connected_at, ended_at, minutes_charged, minutes_reserved } = session;
  const length = connected_at && ended_at ? Date.parse(ended_at) - Date.parse(connected_at) : null;
  return (
    <span className="mt-3 block text-sm">
      {length !== null && `${text.lasted(formatLength(length))} `}
      {minutes_charged !== null && text.charged(minutes_charged, minutes_reserved)}
    </span>
  );
}
