import { useState } from 'react';
import { useUsage } from '../data/queries.ts';
import { firstDuration } from './duration.ts';

export interface DurationChoice {
  /** The chosen duration in minutes, or null if it is not possible. */
  minutes: number | null;
  /** The longest possible duration in minutes. */
  most: number;
  usual: number;
  /** Receives minutes, or null while the typed text is not a valid duration. */
  choose(minutes: number | null): void;
}

/**
 * The duration that a user chooses in a dialog, limited by the service and by the rest of the quota. `reserved`: minutes
 * that the session has already.
 */
export function useDuration(usual: number, reserved = 0): DurationChoice {
  const [chosen, setChosen] = useState<number | null | undefined>(undefined);
  const usage = useUsage().data;
  const most = usage
    ? Math.max(
        0,
        Math.min(usage.max_duration - reserved, usage.minutes.remaining ?? Number.POSITIVE_INFINITY),
      )
    : Number.POSITIVE_INFINITY;
  const minutes = chosen === undefined ? firstDuration(usual, most) : chosen;
  return { minutes: minutes !== null && minutes <= most ? minutes : null, most, usual, choose: setChosen };
}
