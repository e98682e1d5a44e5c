const TONES = {
  good: { badge: 'bg-good-tint text-good', dot: 'bg-good' },
  idle: { badge: 'bg-sunken text-soft', dot: 'bg-edge' },
  own: { badge: 'bg-warn-tint text-warn', dot: 'bg-warn breathe' },
  bad: { badge: 'bg-bad-tint text-bad', dot: 'bg-bad' },
} as const;

interface StatusBadgeProps {
  tone: keyof typeof TONES;
  /** Whether a text that is too long for its place is cut off. Its tooltip then has all of it. */
  isCut?: boolean;
  children: string;
}

export function StatusBadge({ tone, isCut = false, children }: StatusBadgeProps) {
  return (
    <span
      title={isCut ? children : undefined}
      className={`inline-flex items-center whitespace-nowrap gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium transition-colors duration-500 ${isCut ? 'min-w-0 max-w-full' : 'shrink-0'} ${TONES[tone].badge}`}
    >
      <span aria-hidden="true" className={`size-1.5 shrink-0 rounded-full ${TONES[tone].dot}`} />
      <span className={isCut ? 'truncate' : ''}>{children}</span>
    </span>
  );
}
