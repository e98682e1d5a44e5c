const two = (value: number) => String(value).padStart(2, '0');

/** A countdown: `1:02:05`, `12:04`, `0:09`. It reaches zero when the time is up, not a second before. */
export function formatTimeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** How long something took, in words short enough for a table: `45 s`, `12 min`, `1 h 5 min`. */
export function formatLength(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Under a minute it is urgent, under five it is close: the same moments at which the service warns. */
export function urgency(milliseconds: number): 'calm' | 'close' | 'urgent' {
  if (milliseconds <= 60_000) return 'urgent';
  return milliseconds <= 300_000 ? 'close' : 'calm';
}
