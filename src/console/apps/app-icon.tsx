import type { App } from '../../contract/http/app.ts';
import { useAppIcon } from '../data/app-queries.ts';
import { PackageIcon } from '../icons.tsx';

export function AppIcon({ app }: { app: App }) {
  const address = useAppIcon(app);
  if (address) return <img src={address} alt="" className="size-10 shrink-0 rounded-[22%] object-cover" />;
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-[22%] bg-sunken text-soft">
      <PackageIcon />
    </span>
  );
}
