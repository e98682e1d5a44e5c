interface QuotaBarProps {
  minutes: { used: number; reserved: number };
  limit: number;
  className: string;
}

/** The charged part of a quota, followed by the part that live sessions reserve. The text beside it has the figures. */
export function QuotaBar({ minutes: { used, reserved }, limit, className }: QuotaBarProps) {
  const percent = (value: number) => `${Math.min(100, (100 * value) / Math.max(1, limit))}%`;
  const isNearlyUsed = used > 0.9 * limit;
  const colour = isNearlyUsed ? 'bg-bad' : 'bg-good';
  return (
    <span aria-hidden="true" className={`flex overflow-hidden rounded-full bg-line ${className}`}>
      <span className={`h-full ${colour}`} style={{ width: percent(used - reserved) }} />
      <span className={`h-full opacity-45 ${colour}`} style={{ width: percent(reserved) }} />
    </span>
  );
}
