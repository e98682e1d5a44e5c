import { EXPIRY_WARNINGS_S } from '../../contract/http/session.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** Formats a countdown: `1:02:05`, `12:04`, `0:09`. It rounds up, so it reaches zero only when the time is up. */
export function formatTimeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Formats a duration, short enough for a table: `45 s`, `12 min`, `1 h 5 min`. */
export function formatLength(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export type Urgency = 'calm' | 'close' | 'urgent' | 'final';

/**
 * Returns how close the end is, with the thresholds at which the service warns: five minutes, one minute and ten
 * seconds.
 */
export function urgency(milliseconds: number): Urgency {
  const [close, urgent, final] = EXPIRY_WARNINGS_S;
  const seconds = milliseconds / 1000;
  if (seconds <= final) return 'final';
  if (seconds <= urgent) return 'urgent';
  return seconds <= close ? 'close' : 'calm';
}
