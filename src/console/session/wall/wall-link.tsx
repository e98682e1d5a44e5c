import { useLiveSessions } from '../../data/queries.ts';
import { WallIcon } from '../../icons.tsx';
import { Link } from '../../router.tsx';
import { texts } from '../../texts.ts';

/** Link to all live phones side by side, shown if there are at least two. */
export function WallLink() {
  const live = useLiveSessions().data ?? [];
  if (live.length < 2) return null;
  return (
    <Link
      href="/wall"
      className="-mx-2 inline-flex h-control-sm items-center gap-1.5 rounded-lg px-2 text-sm font-medium text-ink hover:bg-sunken"
    >
      <WallIcon className="size-4" />
      {texts.live.sideBySide}
    </Link>
  );
}
