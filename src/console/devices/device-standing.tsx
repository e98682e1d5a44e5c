import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import { canControl } from '../session/can-control.ts';
import { deviceTexts as text } from '../texts/devices.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import type { DeviceActions } from './device-entry.ts';

interface StandingProps {
  device: Device;
  session: Session | undefined;
}

/**
 * Shows a phone as available, as busy, or as in use by the account. Nothing else is shown about
 * sessions of other accounts.
 */
export function DeviceStanding({ device, session }: StandingProps) {
  if (session) return <StatusBadge tone="own">{text.yours}</StatusBadge>;
  return device.status === 'available' ? (
    <StatusBadge tone="good">{text.available}</StatusBadge>
  ) : (
    <StatusBadge tone="idle">{text.busy}</StatusBadge>
  );
}

/** The one action that is possible with the phone now. */
export function DeviceAction({ device, session, onConnect, onWait }: StandingProps & DeviceActions) {
  if (session) {
    return (
      <ButtonLink look="primary" size="small" href={`/sessions/${session.session_id}`}>
        {canControl(session) ? text.open : text.watch}
      </ButtonLink>
    );
  }
  if (device.status === 'available') {
    return (
      <Button look="primary" size="small" onClick={() => onConnect(device)}>
        {text.connect}
      </Button>
    );
  }
  return (
    <Button size="small" aria-label={text.waitForOneLike(device.name)} onClick={() => onWait(device)}>
      {text.wait}
    </Button>
  );
}
