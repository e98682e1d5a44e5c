import { createAccount } from './admin/accounts/create.ts';
import { createAccountKey } from './admin/accounts/keys/create.ts';
import { listAccountKeys } from './admin/accounts/keys/list.ts';
import { listAccounts } from './admin/accounts/list.ts';
import { updateAccount } from './admin/accounts/update.ts';
import { listAudit } from './admin/audit/list.ts';
import { deleteDevice } from './admin/devices/delete.ts';
import { listFleetDevices } from './admin/devices/list.ts';
import { releaseDevice } from './admin/devices/release.ts';
import { updateDevice } from './admin/devices/update.ts';
import { createGroup } from './admin/groups/create.ts';
import { deleteGroup } from './admin/groups/delete.ts';
import { listGroups } from './admin/groups/list.ts';
import { updateGroup } from './admin/groups/update.ts';
import { createHost } from './admin/hosts/create.ts';
import { listHosts } from './admin/hosts/list.ts';
import { revokeHost } from './admin/hosts/revoke.ts';
import { revokeAnyKey } from './admin/keys/revoke.ts';
import { listFleetSessions } from './admin/sessions/list.ts';
import { disableUser } from './admin/users/disable.ts';
import { enableUser } from './admin/users/enable.ts';
import { listUsers } from './admin/users/list.ts';
import { getUtilisation } from './admin/utilisation/get.ts';
import { listFleetWebhooks } from './admin/webhooks/list.ts';
import { updateFleetWebhook } from './admin/webhooks/update.ts';
import { deleteApp } from './apps/delete.ts';
import { getApp } from './apps/get.ts';
import { getAppIcon } from './apps/icon.ts';
import { listApps } from './apps/list.ts';
import { uploadApp } from './apps/upload.ts';
import { connectDevice } from './devices/connect.ts';
import { getDevice } from './devices/get.ts';
import { listDevices } from './devices/list.ts';
import { listenToEvents } from './events/listen.ts';
import type { Implementation } from './implement.ts';
import { createKey } from './keys/create.ts';
import { listKeys } from './keys/list.ts';
import { revokeKey } from './keys/revoke.ts';
import { deleteArtifact } from './sessions/artifacts/delete.ts';
import { getArtifact } from './sessions/artifacts/get.ts';
import { listArtifacts } from './sessions/artifacts/list.ts';
import { borrowPhone } from './sessions/borrow.ts';
import { sessionCommands } from './sessions/commands.ts';
import { getConditions } from './sessions/conditions/get.ts';
import { updateConditions } from './sessions/conditions/update.ts';
import { disconnectSession } from './sessions/disconnect.ts';
import { extendSession } from './sessions/extend.ts';
import { deletePhoneFile } from './sessions/files/delete.ts';
import { listPhoneFiles } from './sessions/files/list.ts';
import { pullPhoneFile } from './sessions/files/pull.ts';
import { pushPhoneFile } from './sessions/files/push.ts';
import { getSession } from './sessions/get.ts';
import { installApp } from './sessions/install.ts';
import { listSessions } from './sessions/list.ts';
import { createRecordingLink } from './sessions/recording-links/create.ts';
import { screenshotSession } from './sessions/screenshot.ts';
import { createWatchLink } from './sessions/watch-links/create.ts';
import { listWatchLinks } from './sessions/watch-links/list.ts';
import { revokeWatchLink } from './sessions/watch-links/revoke.ts';
import { getUsageDays } from './usage/days.ts';
import { getUsage } from './usage/get.ts';
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listDeliveries } from './webhooks/deliveries.ts';
import { getWebhook } from './webhooks/get.ts';
import { listWebhooks } from './webhooks/list.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { rotateWebhook } from './webhooks/rotate.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';

/** All operations. A test compares the list with the contract. */
export const IMPLEMENTATIONS: Implementation[] = [
  listDevices,
  getDevice,
  connectDevice,
  listSessions,
  getSession,
  disconnectSession,
  extendSession,
  sessionCommands,
  getConditions,
  updateConditions,
  screenshotSession,
  installApp,
  listPhoneFiles,
  pullPhoneFile,
  pushPhoneFile,
  deletePhoneFile,
  listArtifacts,
  getArtifact,
  deleteArtifact,
  listWatchLinks,
  createWatchLink,
  createRecordingLink,
  revokeWatchLink,
  uploadApp,
  listApps,
  getApp,
  getAppIcon,
  deleteApp,
  borrowPhone,
  listenToEvents,
  getUsage,
  listKeys,
  createKey,
  revokeKey,
  getUsageDays,
  listAccounts,
  createAccount,
  updateAccount,
  listAccountKeys,
  createAccountKey,
  revokeAnyKey,
  listUsers,
  disableUser,
  enableUser,
  listFleetDevices,
  updateDevice,
  releaseDevice,
  deleteDevice,
  listGroups,
  createGroup,
  updateGroup,
  deleteGroup,
  listHosts,
  createHost,
  revokeHost,
  listFleetSessions,
  getUtilisation,
  listAudit,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listDeliveries,
  redeliver,
  listFleetWebhooks,
  updateFleetWebhook,
];
