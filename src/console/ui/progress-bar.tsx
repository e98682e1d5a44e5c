/** `value` is from 0 to 1, or null while the progress is unknown. */
export function ProgressBar({ label, value }: { label: string; value: number | null }) {
  const percent = value === null ? null : Math.round(Math.min(1, value) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
      className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line"
    >
      <div
        className={`h-full rounded-full bg-strong transition-[width] ${percent === null ? 'breathe' : ''}`}
        style={{ width: `${percent ?? 100}%` }}
      />
    </div>
  );
}
