import { shortTime } from '../data/short-time.ts';
import { deviceTexts as text } from '../texts/devices.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import type { Standing } from './standing-of.ts';

/**
 * Shows a phone as available, as busy, or who of the account uses it, and until when at most. In a grid, in which most
 * phones are available and offer to connect, only the others show a badge.
 */
export function DeviceStanding({ standing, isQuiet = false }: { standing: Standing; isQuiet?: boolean }) {
  switch (standing.state) {
    case 'available':
      return isQuiet ? (
        <span className="sr-only">{text.available}</span>
      ) : (
        <StatusBadge tone="good">{text.available}</StatusBadge>
      );
    case 'busy':
      return (
        <StatusBadge tone="idle" isCut>
          {withEnd(text.busy, standing.until)}
        </StatusBadge>
      );
    case 'yours':
      return <StatusBadge tone="own">{text.yours}</StatusBadge>;
    case 'colleague':
      return (
        <StatusBadge tone="idle" isCut>
          {withEnd(text.usedBy(standing.name), standing.until)}
        </StatusBadge>
      );
  }
}

const withEnd = (state: string, until: string | null): string =>
  until === null ? state : text.until(state, shortTime(until));
