import { type ReactNode, useState } from 'react';
import type { Device } from '../../contract/http/device.ts';
import { useLiveSessions, useUsage } from '../data/queries.ts';
import { PhoneIcon, SearchIcon, StarIcon } from '../icons.tsx';
import { navigate, useLocation } from '../router.tsx';
import { preloadSession } from '../session/preload-session.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, ErrorNote, Message } from '../ui/message.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { AnyPhoneDialog } from '../waiting/any-phone-dialog.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { addressOf, type DeviceFilters, filtersFrom, isFiltered, NO_FILTERS } from './device-filters.ts';
import { DeviceList } from './device-list.tsx';
import { useInventory } from './device-query.ts';
import { useFavourites } from './favourites.ts';
import { FilterBar } from './filter-bar.tsx';
import { LiveSessions } from './live-sessions.tsx';
import { standingOf } from './standing-of.ts';
import { useDeviceRows } from './use-device-rows.ts';
import { useQuickConnect } from './use-quick-connect.ts';
import { useDeviceView, ViewSwitch } from './view-switch.tsx';

const text = texts.devices;

/** The requested action: connect to this phone, or wait for one like it, or for any that matches the filters (null). */
type Asked =
  | { what: 'connect'; device: Device; error: Error | null }
  | { what: 'wait'; device: Device | null }
  | null;

export function DevicesPage() {
  const filters = filtersFrom(useLocation().search);
  const [isFiltering, setFiltering] = useState(false);
  // The list without filters fetches the first page itself. Only a user of the filters needs more.
  const inventory = useInventory({ enabled: !isFiltered(filters) || isFiltering, isComplete: isFiltering });
  const live = useLiveSessions();
  const [view, setView] = useDeviceView();
  const [asked, setAsked] = useState<Asked>(null);
  return (
    <>
      <LiveSessions sessions={live.data ?? []} />
      <FilteredList
        filters={filters}
        view={view}
        sessions={live.data ?? []}
        onAsk={setAsked}
        tools={
          <>
            <ViewSwitch view={view} onChange={setView} />
            <Button size="small" onClick={() => setAsked({ what: 'wait', device: null })}>
              {texts.waiting.ask}
            </Button>
          </>
        }
        filterBar={
          <FilterBar
            filters={filters}
            brands={inventory?.brands ?? []}
            osVersions={inventory?.osVersions ?? []}
            onUse={() => setFiltering(true)}
          />
        }
      />
      <AskedDialog asked={asked} filters={filters} onClose={() => setAsked(null)} />
    </>
  );
}

interface FilteredListProps {
  filters: DeviceFilters;
  view: 'grid' | 'table';
  sessions: NonNullable<ReturnType<typeof useLiveSessions>['data']>;
  tools: ReactNode;
  filterBar: ReactNode;
  onAsk(asked: Asked): void;
}

function FilteredList({ filters, view, sessions, tools, filterBar, onAsk }: FilteredListProps) {
  const { rows, error, retry, onShown } = useDeviceRows(filters);
  const favourites = useFavourites();
  const user = useUsage().data?.user;
  const choose = (device: Device, error: Error | null = null) => {
    onAsk({ what: 'connect', device, error });
    // If preloading fails, the page recovers when it needs the code.
    preloadSession().catch(() => {});
  };
  const quick = useQuickConnect(choose);
  const sessionOf = ({ id }: Device) => sessions.find(({ device_id }) => device_id === id);
  return (
    <>
      <PageHeader
        title={text.title}
        detail={<span role="status">{rows && text.count(rows.total, rows.free)}</span>}
      >
        {tools}
      </PageHeader>
      {filterBar}
      <p id="device-list-keys" className="sr-only">
        {text.keys}
      </p>
      <div className="mt-5">
        {rows && error && (
          <div className="mb-4">
            <ErrorNote error={error} />
          </div>
        )}
        {rows && rows.truncatedAt !== null && (
          <p className="mb-4 text-sm text-soft">{text.searchTruncated(rows.truncatedAt)}</p>
        )}
        {rows && rows.count > 0 && (
          <DeviceList
            // A list with other filters is a new list, which starts at its top.
            key={addressOf(filters)}
            rows={rows}
            view={view}
            sessionOf={sessionOf}
            standingOf={(device) => standingOf(device, sessionOf(device), user)}
            isStarred={(device) => favourites.includes(device.id)}
            actions={{
              last: quick.last,
              connectingId: quick.connectingId,
              onConnect: quick.start,
              onChoose: choose,
              onWait: (device) => onAsk({ what: 'wait', device }),
            }}
            onShown={onShown}
          />
        )}
        {rows?.count === 0 && <Nothing filters={filters} />}
        {!rows && (error ? <ErrorMessage error={error} onRetry={retry} /> : <Placeholder />)}
      </div>
    </>
  );
}

interface AskedDialogProps {
  asked: Asked;
  filters: DeviceFilters;
  onClose(): void;
}

function AskedDialog({ asked, filters, onClose }: AskedDialogProps) {
  if (asked === null) return null;
  if (asked.what === 'connect')
    return <ConnectDialog device={asked.device} refusal={asked.error} onClose={onClose} />;
  const { device } = asked;
  const like = device
    ? { brand: device.brand, model: device.model, os: device.os_version }
    : { brand: filters.brand, model: '', os: filters.os };
  return <AnyPhoneDialog like={like} name={device?.name ?? null} onClose={onClose} />;
}

function Nothing({ filters }: { filters: DeviceFilters }) {
  if (!isFiltered(filters)) {
    return (
      <Message title={text.noneTitle} icon={<PhoneIcon className="size-6" />}>
        {text.none}
      </Message>
    );
  }
  return (
    <Message
      title={filters.starred ? text.noFavouritesTitle : text.noMatchTitle}
      icon={filters.starred ? <StarIcon className="size-6" /> : <SearchIcon className="size-6" />}
      action={<Button onClick={() => navigate(addressOf(NO_FILTERS))}>{texts.listing.clear}</Button>}
    >
      {filters.starred ? text.noFavourites : text.noMatch}
    </Message>
  );
}

const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f'];

function Placeholder() {
  return (
    <div
      aria-hidden="true"
      className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4 3xl:grid-cols-5"
    >
      {SKELETONS.map((key) => (
        <div key={key} className="breathe h-44 rounded-2xl border border-line bg-panel" />
      ))}
    </div>
  );
}
