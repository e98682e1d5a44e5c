import { useQuery } from '@tanstack/react-query';
import { useClient } from '../account/account.tsx';
import { useLiveSessions, useUsage } from '../data/queries.ts';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { type Command, usePageCommands } from './commands.ts';

const text = texts.palette;
/** The phones that the palette offers. The list of phones finds the others. */
const DEVICES_PAGE = 100;
const FRESH_MS = 10_000;

const PAGES = [
  ['/devices', texts.navigation.devices],
  ['/sessions', texts.navigation.sessions],
  ['/apps', texts.navigation.apps],
  ['/usage', texts.navigation.usage],
  ['/keys', texts.navigation.keys],
  ['/webhooks', texts.navigation.webhooks],
] as const;

/** Returns the commands of the palette: those of the page, live sessions, available phones, and the pages. */
export function usePaletteCommands(
  onConnect: (device: { id: string; name: string }) => void,
): readonly Command[] {
  const client = useClient();
  const ofPage = usePageCommands();
  const live = useLiveSessions().data ?? [];
  const isOperator = useUsage().data?.role === 'admin';
  const devices = useQuery({
    queryKey: ['devices', 'palette'],
    queryFn: ({ signal }) => client.listDevices({ status: 'available', page_size: DEVICES_PAGE }, signal),
    staleTime: FRESH_MS,
  });
  const pages = isOperator ? [...PAGES, ['/admin/devices', texts.navigation.operate] as const] : PAGES;
  return [
    ...ofPage,
    ...live.map(({ session_id, device_name, device_id }) => ({
      id: `open ${session_id}`,
      group: text.open,
      label: device_name ?? device_id,
      run: () => navigate(`/sessions/${encodeURIComponent(session_id)}`),
    })),
    ...pages.map(([path, label]) => ({
      ...{ id: `go ${path}`, group: text.goTo, label },
      run: () => navigate(path),
    })),
    ...(devices.data?.items ?? []).map(({ id, name }) => ({
      ...{ id: `connect ${id}`, group: text.connectTo, label: name },
      run: () => onConnect({ id, name }),
    })),
  ];
}
