import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { App } from '../../contract/app.ts';
import { MAX_PAGE_SIZE } from '../../contract/page.ts';
import { useClient } from '../account/account.tsx';

const APPS_PAGE = 20;
/** Colleagues and builds upload too. */
const APPS_POLL_MS = 10_000;

/** A page of the account's apps, newest first. */
export function useApps(page: number) {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'list', page],
    queryFn: ({ signal }) => client.listApps({ page, page_size: APPS_PAGE }, signal),
    refetchInterval: APPS_POLL_MS,
    placeholderData: keepPreviousData,
  });
}

/** The apps to choose one from: the newest that fit into one answer, and how many there are. */
export function useAppChoices(enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'choices'],
    queryFn: ({ signal }) => client.listApps({ page_size: MAX_PAGE_SIZE }, signal),
    enabled,
    staleTime: APPS_POLL_MS,
  });
}

/** One app; undefined also when it was deleted meanwhile. */
export function useApp(appId: string | null): App | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'one', appId],
    queryFn: ({ signal }) => client.getApp(appId ?? '', signal),
    enabled: appId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** An address of the app's icon for an `<img>`, as long as the component is there; null without one, or before it came. */
export function useAppIcon(app: App): string | null {
  const client = useClient();
  const icon = useQuery({
    queryKey: ['apps', 'icon', app.id],
    queryFn: ({ signal }) => client.appIcon(app, signal),
    enabled: app.icon_url !== null,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!icon) return;
    const made = URL.createObjectURL(icon);
    setAddress(made);
    return () => {
      URL.revokeObjectURL(made);
      setAddress(null);
    };
  }, [icon]);
  return address;
}

/** Asks again for every list of apps. */
export function useRefreshApps(): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: ['apps'] });
}

export function useDeleteApp() {
  const client = useClient();
  const refresh = useRefreshApps();
  return useMutation({ mutationFn: (appId: string) => client.deleteApp(appId), onSettled: refresh });
}
