import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { App } from '../../contract/http/app.ts';
import { MAX_PAGE_SIZE } from '../../contract/http/page.ts';
import { useClient } from '../account/account.tsx';

const APPS_PAGE = 20;
/** Colleagues and CI builds upload apps too, so the list is polled. */
const APPS_POLL_MS = 10_000;

/** Queries a page of the account's apps, newest first. */
export function useApps(page: number) {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'list', page],
    queryFn: ({ signal }) => client.listApps({ page, page_size: APPS_PAGE }, signal),
    refetchInterval: APPS_POLL_MS,
    placeholderData: keepPreviousData,
  });
}

/** Queries the apps to choose from: the newest that fit into one response, and the total number. */
export function useAppChoices(enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'choices'],
    queryFn: ({ signal }) => client.listApps({ page_size: MAX_PAGE_SIZE }, signal),
    enabled,
    staleTime: APPS_POLL_MS,
  });
}

/** Returns one app, or undefined while it loads and after it was deleted. */
export function useApp(appId: string | null): App | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['apps', 'one', appId],
    queryFn: ({ signal }) => client.getApp(appId ?? '', signal),
    enabled: appId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/**
 * Returns a URL of the app's icon for an `<img>`, valid while the component is mounted. Returns null if there is no
 * icon, or until it has loaded.
 */
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

/** Returns a function that refetches every list of apps. */
export function useRefreshApps(): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: ['apps'] });
}

export function useDeleteApp() {
  const client = useClient();
  const refresh = useRefreshApps();
  return useMutation({ mutationFn: (appId: string) => client.deleteApp(appId), onSettled: refresh });
}
