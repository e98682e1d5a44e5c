import { SESSION_STATUSES, type SessionStatus } from '../../contract/http/session.ts';
import { texts } from '../texts.ts';
import { NamedFilter } from '../ui/filters.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';

const text = texts.sessions;
const TONES = { connecting: 'own', connected: 'good', disconnected: 'idle' } as const;
const CHOICES = SESSION_STATUSES.map((id) => ({ id, name: text.statuses[id] }));

export function SessionStatusBadge({ status }: { status: SessionStatus }) {
  return <StatusBadge tone={TONES[status]}>{text.statuses[status]}</StatusBadge>;
}

interface SessionStatusFilterProps {
  value: string;
  onChange(value: string): void;
}

/** A filter by the status of a session. */
export function SessionStatusFilter({ value, onChange }: SessionStatusFilterProps) {
  return (
    <NamedFilter
      label={text.status}
      any={text.anyStatus}
      value={value}
      choices={CHOICES}
      onChange={onChange}
    />
  );
}

/** The status in the page's address. Empty if it is absent or not a status. */
export const sessionStatusOf = (value: string): SessionStatus | '' =>
  SESSION_STATUSES.find((status) => status === value) ?? '';
