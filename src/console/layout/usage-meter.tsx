import { useUsage } from '../data/queries.ts';
import { Link } from '../router.tsx';
import { texts } from '../texts.ts';
import { Tooltip } from '../ui/tooltip.tsx';

const text = texts.usage;
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Shows the minutes used this month, or the minutes left if there is a limit. */
export function UsageMeter() {
  const { data } = useUsage();
  if (!data) return null;
  const { used, limit, remaining } = data.minutes;
  const detail = text.detail(used, limit, day.format(new Date(data.resets_at)));
  const share = limit === null || limit === 0 ? null : Math.min(1, used / limit);
  return (
    <Tooltip text={detail} side="bottom">
      <Link href="/usage" className="rounded-lg px-2 py-1 text-right text-sm hover:bg-sunken">
        <span className="block font-medium whitespace-nowrap tabular-nums">
          {remaining === null ? text.unlimited(used) : text.limited(remaining)}
        </span>
        <span className="sr-only">{`${text.label}: ${detail}`}</span>
        {share !== null && (
          <span className="mt-1 ml-auto block h-1 w-24 overflow-hidden rounded-full bg-line">
            <span
              className={`block h-full rounded-full ${share > 0.9 ? 'bg-bad' : 'bg-good'}`}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        )}
      </Link>
    </Tooltip>
  );
}
