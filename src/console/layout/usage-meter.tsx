import { useUsage } from '../data/queries.ts';
import { Link } from '../router.tsx';
import { texts } from '../texts.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { QuotaBar } from '../usage/quota-bar.tsx';

const text = texts.usage;
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Shows the minutes used this month and those that live sessions reserve, or the minutes left if there is a limit. */
export function UsageMeter() {
  const { data } = useUsage();
  if (!data) return null;
  const { used, reserved, limit, remaining } = data.minutes;
  const detail = text.detail(
    { charged: used - reserved, reserved, limit },
    day.format(new Date(data.resets_at)),
  );
  return (
    <Tooltip text={detail} side="bottom">
      <Link href="/usage" className="rounded-lg px-2 py-1 text-right text-sm hover:bg-sunken">
        <span className="block font-medium whitespace-nowrap tabular-nums">
          {remaining === null ? text.unlimited(used - reserved) : text.limited(remaining)}
          {reserved > 0 && (
            <span className="font-normal text-soft max-sm:hidden"> · {text.reserved(reserved)}</span>
          )}
        </span>
        <span className="sr-only">{`${text.label}: ${detail}`}</span>
        {limit !== null && (
          <QuotaBar minutes={data.minutes} limit={limit} className="mt-1 ml-auto h-1 w-24" />
        )}
      </Link>
    </Tooltip>
  );
}
