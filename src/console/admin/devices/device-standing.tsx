import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import { shortTime } from '../../data/short-time.ts';
import { adminTexts } from '../../texts/admin.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { accountAddress } from '../admin-address.ts';

const text = adminTexts.devices;

const TONES = { available: 'good', busy: 'own', offline: 'bad', maintenance: 'idle' } as const;

export function ConditionBadge({ device: { condition, condition_detail } }: { device: FleetDevice }) {
  const words = {
    cleaning: text.cleaning,
    in_use: text.inUse,
  };
  return (
    <StatusBadge tone={TONES[condition]}>
      {condition_detail ? words[condition_detail] : text.conditions[condition]}
    </StatusBadge>
  );
}

/** The state of a phone in plain language: who uses it, what is wrong, and what to do about it. */
export function DeviceStanding({ device }: { device: FleetDevice }) {
  const { session, problem, next_step, condition, maintenance, maintenance_note } = device;
  return (
    <div className="space-y-1 text-soft">
      {session && (
        <p>
          <TextLink href={accountAddress(session.account.id)} className="font-medium text-ink">
            {session.account.name}
          </TextLink>
          {session.user && ` (${session.user.name})`}
          {text.since(shortTime(session.since), shortTime(session.expires_at))}
        </p>
      )}
      {maintenance && condition !== 'maintenance' && <p>{text.maintenanceNext}</p>}
      {maintenance_note && <p className="break-words">{text.note(maintenance_note)}</p>}
      {problem && (
        <p className="break-words">
          <span className="font-medium text-bad">{text.problem}</span> {problem}
        </p>
      )}
      {next_step && (
        <p>
          <span className="font-medium text-ink">{text.whatToDo}</span> {next_step}
        </p>
      )}
      {!session && !problem && !next_step && (
        <p>
          {device.last_session_ended_at
            ? text.lastUsed(shortTime(device.last_session_ended_at))
            : text.neverUsed}
        </p>
      )}
    </div>
  );
}
