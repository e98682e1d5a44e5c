import type { App } from '../../contract/http/app.ts';
import { useAppIcon } from '../data/app-queries.ts';
import { formatBytes } from '../data/format-bytes.ts';
import { PackageIcon, TrashIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon-button.tsx';

const text = texts.apps;
const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const CELL = 'px-4 py-3 max-md:p-0';

interface AppTableProps {
  apps: readonly App[];
  onDelete(app: App): void;
}

export function AppTable({ apps, onDelete }: AppTableProps) {
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-panel shadow-card">
      <table className="w-full table-fixed text-left text-sm max-md:block">
        <thead className="border-b border-line text-soft max-md:sr-only">
          <tr>
            <th scope="col" className="w-[44%] px-4 py-2.5 font-medium">
              {text.name}
            </th>
            <th scope="col" className="px-4 py-2.5 font-medium">
              {text.version}
            </th>
            <th scope="col" className="w-28 px-4 py-2.5 font-medium">
              {text.size}
            </th>
            <th scope="col" className="w-52 px-4 py-2.5 font-medium">
              {text.uploaded}
            </th>
            <th scope="col" className="w-18">
              <span className="sr-only">{text.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {apps.map((app) => (
            <AppRow key={app.id} app={app} onDelete={() => onDelete(app)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AppRow({ app, onDelete }: { app: App; onDelete(): void }) {
  return (
    <tr className="hover:bg-sunken/50 max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:items-center max-md:gap-x-3 max-md:px-4 max-md:py-3">
      <td className={CELL}>
        <div className="flex min-w-0 items-center gap-3">
          <AppIcon app={app} />
          <div className="min-w-0">
            <p className="truncate font-medium" title={app.name}>
              {app.name}
            </p>
            <p className="truncate text-soft" title={app.package}>
              {app.package}
            </p>
            <p className="truncate text-soft tabular-nums md:hidden">
              {[app.version, formatBytes(app.size), day.format(new Date(app.created_at))]
                .filter((part) => part !== '')
                .join(' · ')}
            </p>
          </div>
        </div>
      </td>
      <td className={`${CELL} truncate tabular-nums max-md:hidden`}>
        {app.version}
        <span className="block truncate text-soft">{text.versionCode(app.version_code)}</span>
      </td>
      <td className={`${CELL} text-soft tabular-nums max-md:hidden`}>{formatBytes(app.size)}</td>
      <td className={`${CELL} text-soft tabular-nums max-md:hidden`}>
        {when.format(new Date(app.created_at))}
      </td>
      <td className={`${CELL} md:!pl-0`}>
        <IconButton
          label={text.deleteOne(app.name)}
          icon={<TrashIcon />}
          side="left"
          onClick={onDelete}
          size="small"
          className="ml-auto"
        />
      </td>
    </tr>
  );
}

function AppIcon({ app }: { app: App }) {
  const address = useAppIcon(app);
  if (address) return <img src={address} alt="" className="size-10 shrink-0 rounded-[22%] object-cover" />;
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-[22%] bg-sunken text-soft">
      <PackageIcon />
    </span>
  );
}
