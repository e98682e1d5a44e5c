import { useState } from 'react';
import type { Device } from '../../contract/device.ts';
import { useLiveSessions } from '../data/queries.ts';
import { PhoneIcon, SearchIcon } from '../icons.tsx';
import { navigate, useLocation } from '../router.tsx';
import { preloadSession } from '../session/load-session-page.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, ErrorNote, Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Paging } from '../ui/paging.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { DeviceCard } from './device-card.tsx';
import { addressOf, type DeviceFilters, filtersFrom, isFiltered, NO_FILTERS } from './device-filters.ts';
import { type DeviceList, useDevices, useInventory } from './device-query.ts';
import { FilterBar } from './filter-bar.tsx';
import { LiveSessions } from './live-sessions.tsx';

const text = texts.devices;

export function DevicesPage() {
  usePageTitle(text.title);
  const filters = filtersFrom(useLocation().search);
  const devices = useDevices(filters);
  const inventory = useInventory();
  const live = useLiveSessions();
  return (
    <>
      <LiveSessions sessions={live.data ?? []} devices={inventory.data?.byId ?? new Map()} />
      <div className="mb-4 flex items-baseline gap-3">
        <h1 className="text-2xl font-semibold">{text.title}</h1>
        {devices.data && <p className="text-soft">{summary(devices.data)}</p>}
      </div>
      <FilterBar
        filters={filters}
        brands={inventory.data?.brands ?? []}
        osVersions={inventory.data?.osVersions ?? []}
      />
      <div className="mt-5">
        {devices.data && devices.error && (
          <div className="mb-4">
            <ErrorNote error={devices.error} />
          </div>
        )}
        {devices.data ? (
          <Grid list={devices.data} filters={filters} sessions={live.data ?? []} />
        ) : devices.error ? (
          <ErrorMessage error={devices.error} onRetry={() => void devices.refetch()} />
        ) : (
          <Placeholder />
        )}
      </div>
    </>
  );
}

/** How many are free is known only when all of them are on the page. */
function summary({ items, total }: DeviceList): string {
  const free = items.filter((device) => device.status === 'available').length;
  return text.count(total, items.length === total ? free : null);
}

interface GridProps {
  list: DeviceList;
  filters: DeviceFilters;
  sessions: NonNullable<ReturnType<typeof useLiveSessions>['data']>;
}

function Grid({ list, filters, sessions }: GridProps) {
  const [chosen, setChosen] = useState<Device | null>(null);
  const choose = (device: Device) => {
    setChosen(device);
    // Without it the page loads the same a little later, and says what is wrong if it cannot.
    preloadSession().catch(() => {});
  };
  const close = () => setChosen(null);
  return (
    <>
      {list.truncatedAt !== null && (
        <p className="mb-4 text-sm text-soft">{text.searchTruncated(list.truncatedAt)}</p>
      )}
      {list.items.length === 0 ? (
        <Nothing list={list} filters={filters} />
      ) : (
        <ul className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3">
          {list.items.map((device) => (
            <li key={device.id} className="grid">
              <DeviceCard
                device={device}
                session={sessions.find((session) => session.device_id === device.id)}
                onConnect={() => choose(device)}
              />
            </li>
          ))}
        </ul>
      )}
      <Paging
        page={list.page}
        pageSize={list.page_size}
        total={list.total}
        onPage={(page) => navigate(addressOf({ ...filters, page }))}
      />
      {chosen && <ConnectDialog device={chosen} onClose={close} />}
    </>
  );
}

function Nothing({ list, filters }: { list: DeviceList; filters: DeviceFilters }) {
  if (list.total > 0) {
    return (
      <Message
        title={text.pastEndTitle}
        icon={<SearchIcon className="size-6" />}
        action={
          <Button onClick={() => navigate(addressOf({ ...filters, page: 1 }))}>{text.firstPage}</Button>
        }
      >
        {text.pastEnd}
      </Message>
    );
  }
  if (isFiltered(filters)) {
    return (
      <Message
        title={text.noMatchTitle}
        icon={<SearchIcon className="size-6" />}
        action={<Button onClick={() => navigate(addressOf(NO_FILTERS))}>{text.clear}</Button>}
      >
        {text.noMatch}
      </Message>
    );
  }
  return (
    <Message title={text.noneTitle} icon={<PhoneIcon className="size-6" />}>
      {text.none}
    </Message>
  );
}

const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f'];

function Placeholder() {
  return (
    <div aria-hidden="true" className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3">
      {SKELETONS.map((key) => (
        <div key={key} className="breathe h-37 rounded-2xl border border-line bg-panel" />
      ))}
    </div>
  );
}
