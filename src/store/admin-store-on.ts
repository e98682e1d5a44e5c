import { changeAccount, makeAccount, pageAccounts } from './admin-accounts.ts';
import { changeDevice, forgetDevice, getFleetDevice, listFleetDevices } from './admin-devices.ts';
import { changeGroup, deleteGroup, makeGroup, pageGroups } from './admin-groups.ts';
import { getHost, pageHosts } from './admin-hosts.ts';
import { getKey, makeKey, noteKeyUse, pageKeys } from './admin-keys.ts';
import { listFleetSessions } from './admin-sessions.ts';
import type { AdminStore } from './admin-store.ts';
import { sampleFleet, utilisation } from './admin-utilisation.ts';
import { addAudit, auditBefore, listAudit, sweepAudit } from './audit.ts';
import type { Engine } from './engine.ts';
import type { GroupStore } from './group-store.ts';
import { usageDays } from './usage-days.ts';

export function adminStoreOn(engine: Engine): AdminStore & GroupStore {
  return {
    noteKeyUse: (use) => noteKeyUse(engine, use),
    makeKey: (command) => makeKey(engine, command),
    getKey: (keyId) => getKey(engine, keyId),
    pageKeys: (query) => pageKeys(engine, query),
    usageDays: (accountId, month) => usageDays(engine, accountId, month),
    pageAccounts: (query) => pageAccounts(engine, query),
    makeAccount: (command) => makeAccount(engine, command),
    changeAccount: (change) => changeAccount(engine, change),
    listFleetDevices: (query) => listFleetDevices(engine, query),
    getFleetDevice: (deviceId) => getFleetDevice(engine, deviceId),
    changeDevice: (change) => changeDevice(engine, change),
    forgetDevice: (deviceId) => forgetDevice(engine, deviceId),
    pageGroups: (query) => pageGroups(engine, query),
    makeGroup: (command) => makeGroup(engine, command),
    changeGroup: (change) => changeGroup(engine, change),
    deleteGroup: (groupId) => deleteGroup(engine, groupId),
    pageHosts: (query) => pageHosts(engine, query),
    getHost: (hostId) => getHost(engine, hostId),
    listFleetSessions: (query) => listFleetSessions(engine, query),
    sampleFleet: () => sampleFleet(engine),
    utilisation: (hours) => utilisation(engine, hours),
    addAudit: (notes) => addAudit(engine, notes),
    listAudit: (query) => listAudit(engine, query),
    auditBefore: (query) => auditBefore(engine, query),
    sweepAudit: (options) => sweepAudit(engine, options),
  };
}
