import { useState } from 'react';
import type { Session } from '../../contract/session.ts';
import { ConnectDialog } from '../devices/connect-dialog.tsx';
import { ClockIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Message } from '../ui/message.tsx';

const text = texts.ended;

/** Why the session ended, what it came to, and the two ways on. */
export function SessionEnded({ session, name }: { session: Session; name: string }) {
  const [connecting, setConnecting] = useState(false);
  const { end_reason, end_detail, minutes_charged } = session;
  return (
    <>
      <Message
        title={text.title}
        icon={<ClockIcon className="size-6" />}
        action={
          <>
            <Button look="primary" onClick={() => setConnecting(true)}>
              {text.again}
            </Button>
            <ButtonLink href="/devices">{text.toDevices}</ButtonLink>
          </>
        }
      >
        {end_reason ? text.reasons[end_reason] : text.unknown}
        {end_detail && <span className="mt-1 block text-sm">“{end_detail}”</span>}
        {minutes_charged !== null && (
          <span className="mt-1 block text-sm">{text.charged(minutes_charged)}</span>
        )}
      </Message>
      {connecting && (
        <ConnectDialog device={{ id: session.device_id, name }} onClose={() => setConnecting(false)} />
      )}
    </>
  );
}
