import type { ReactNode } from 'react';

const TONES = {
  good: { badge: 'bg-good-tint text-good', dot: 'bg-good' },
  idle: { badge: 'bg-sunken text-soft', dot: 'bg-edge' },
  own: { badge: 'bg-warn-tint text-warn', dot: 'bg-warn breathe' },
  bad: { badge: 'bg-bad-tint text-bad', dot: 'bg-bad' },
} as const;

export function StatusBadge({ tone, children }: { tone: keyof typeof TONES; children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center whitespace-nowrap gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium transition-colors duration-500 ${TONES[tone].badge}`}
    >
      <span aria-hidden="true" className={`size-1.5 rounded-full ${TONES[tone].dot}`} />
      {children}
    </span>
  );
}
