import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  AccountChange,
  AdminClient,
  AuditQuery,
  FleetDeviceChange,
  FleetDeviceQuery,
  FleetSessionQuery,
  FleetWebhookChange,
  GroupChange,
  NewAccount,
  NewGroup,
  UserQuery,
} from '../../client/admin-client.ts';
import type { Account } from '../../contract/http/account.ts';
import { MAX_PAGE_SIZE } from '../../contract/http/page.ts';
import { useClient } from '../account/account.tsx';

const PAGE_SIZE = 20;
/** Poll intervals. Operators watch changing lists, which may be long. */
const LIVE_MS = 5_000;
const CALM_MS = 15_000;

/** Every query key begins with `admin`, because one action may change any of the lists. */
function useAdminQuery<T>(
  key: readonly unknown[],
  ask: (admin: AdminClient, signal: AbortSignal) => Promise<T>,
  everyMs: number,
) {
  const { admin } = useClient();
  return useQuery({
    queryKey: ['admin', ...key],
    queryFn: ({ signal }) => ask(admin, signal),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
}

export const useFleetDevices = (query: FleetDeviceQuery) =>
  useAdminQuery(
    ['devices', query],
    (admin, signal) => admin.listDevices({ ...query, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

export const useHosts = (page: number) =>
  useAdminQuery(
    ['hosts', page],
    (admin, signal) => admin.listHosts({ page, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

/** Hosts to choose from, limited to those that fit into one response. */
export const useHostChoices = () =>
  useAdminQuery(
    ['hosts', 'choices'],
    (admin, signal) => admin.listHosts({ page_size: MAX_PAGE_SIZE }, signal),
    CALM_MS,
  ).data?.items ?? [];

export const useAccounts = (page: number) =>
  useAdminQuery(
    ['accounts', page],
    (admin, signal) => admin.listAccounts({ page, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

export const useUsers = (query: UserQuery) =>
  useAdminQuery(
    ['users', query],
    (admin, signal) => admin.listUsers({ ...query, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

/** Accounts to choose from, limited to those that fit into one response. */
export const useAccountChoices = () =>
  useAdminQuery(
    ['accounts', 'choices'],
    (admin, signal) => admin.listAccounts({ page_size: MAX_PAGE_SIZE }, signal),
    CALM_MS,
  ).data?.items ?? [];

/** Maximum number of accounts that a dialog lists. */
const MOST_LISTED = 2_000;

/** All accounts up to that limit, to select several of them. */
export const useAllAccounts = () =>
  useAdminQuery(
    ['accounts', 'all'],
    async (admin, signal) => {
      const found: Account[] = [];
      for (let page = 1; ; page += 1) {
        const { items, total } = await admin.listAccounts({ page, page_size: MAX_PAGE_SIZE }, signal);
        found.push(...items);
        if (items.length === 0 || found.length >= Math.min(total, MOST_LISTED)) return found;
      }
    },
    CALM_MS,
  ).data ?? [];

export const useGroups = (page: number) =>
  useAdminQuery(
    ['groups', page],
    (admin, signal) => admin.listGroups({ page, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

/** Groups to choose from, limited to those that fit into one response. */
export const useGroupChoices = () =>
  useAdminQuery(
    ['groups', 'choices'],
    (admin, signal) => admin.listGroups({ page_size: MAX_PAGE_SIZE }, signal),
    CALM_MS,
  ).data?.items ?? [];

/**
 * Returns one account, or null if it does not exist. Searches the list, because the API has no operation for one
 * account.
 */
export const useAccount = (accountId: string) =>
  useAdminQuery(
    ['accounts', 'one', accountId],
    async (admin, signal) => {
      for (let page = 1; ; page += 1) {
        const { items, total } = await admin.listAccounts({ page, page_size: MAX_PAGE_SIZE }, signal);
        const found = items.find(({ id }) => id === accountId);
        if (found || items.length === 0 || page * MAX_PAGE_SIZE >= total) return found ?? null;
      }
    },
    CALM_MS,
  );

export const useFleetSessions = (query: FleetSessionQuery) =>
  useAdminQuery(
    ['sessions', query],
    (admin, signal) => admin.listSessions({ ...query, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

export const useFleetWebhooks = (query: { account_id: string; page: number }) =>
  useAdminQuery(
    ['webhooks', query],
    (admin, signal) => admin.listWebhooks({ ...query, page_size: PAGE_SIZE }, signal),
    LIVE_MS,
  );

export const useUtilisation = (hours: number) =>
  useAdminQuery(['utilisation', hours], (admin, signal) => admin.getUtilisation(hours, signal), CALM_MS);

export const useAudit = (query: AuditQuery) =>
  useAdminQuery(
    ['audit', query],
    (admin, signal) => admin.listAudit({ ...query, page_size: PAGE_SIZE }, signal),
    CALM_MS,
  );

/** An action of an operator. All admin queries are refetched afterwards, whether it succeeded or failed. */
function useAction<Input, T>(
  run: (admin: AdminClient, input: Input) => Promise<T>,
  { isSecret = false } = {},
) {
  const { admin } = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(admin, input),
    ...(isSecret && { gcTime: 0 }),
    onSettled: () =>
      Promise.all(
        [['admin'], ['devices'], ['sessions'], ['usage'], ['webhooks']].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const useUpdateDevice = () =>
  useAction((admin, { deviceId, change }: { deviceId: string; change: FleetDeviceChange }) =>
    admin.updateDevice(deviceId, change),
  );

export const useReleaseDevice = () =>
  useAction((admin, { deviceId, reason }: { deviceId: string; reason: string }) =>
    admin.releaseDevice(deviceId, reason),
  );

export const useForgetDevice = () => useAction((admin, deviceId: string) => admin.forgetDevice(deviceId));

/** Only the dialog that shows the credential holds it, so that it is gone when the dialog closes. */
export const useCreateHost = () =>
  useAction((admin, name: string) => admin.createHost(name), { isSecret: true });

export const useUpdateFleetWebhook = () =>
  useAction((admin, { webhookId, change }: { webhookId: string; change: FleetWebhookChange }) =>
    admin.updateWebhook(webhookId, change),
  );

export const useRevokeHost = () => useAction((admin, hostId: string) => admin.revokeHost(hostId));

export const useCreateAccount = () =>
  useAction((admin, { account, idempotencyKey }: { account: NewAccount; idempotencyKey: string }) =>
    admin.createAccount(account, { idempotencyKey }),
  );

export const useUpdateAccount = () =>
  useAction((admin, { accountId, change }: { accountId: string; change: AccountChange }) =>
    admin.updateAccount(accountId, change),
  );

export const useCreateGroup = () =>
  useAction((admin, { group, idempotencyKey }: { group: NewGroup; idempotencyKey: string }) =>
    admin.createGroup(group, { idempotencyKey }),
  );

export const useUpdateGroup = () =>
  useAction((admin, { groupId, change }: { groupId: string; change: GroupChange }) =>
    admin.updateGroup(groupId, change),
  );

export const useDeleteGroup = () => useAction((admin, groupId: string) => admin.deleteGroup(groupId));

export const useDisableUser = () => useAction((admin, userId: string) => admin.disableUser(userId));
export const useEnableUser = () => useAction((admin, userId: string) => admin.enableUser(userId));

/** Returns all entries that match. It changes nothing, so no query is refetched. */
export function useExportAudit() {
  const { admin } = useClient();
  return useMutation({ mutationFn: (query: AuditQuery) => admin.exportAudit(query) });
}
