import { changeAccount, makeAccount, pageAccounts } from './admin-accounts.ts';
import { changeDevice, forgetDevice, getFleetDevice, listFleetDevices } from './admin-devices.ts';
import { changeGroup, deleteGroup, makeGroup, pageGroups } from './admin-groups.ts';
import { getHost, pageHosts } from './admin-hosts.ts';
import { getKey, makeKey, noteKeyUse, pageKeys, sweepKeys } from './admin-keys.ts';
import { listFleetSessions } from './admin-sessions.ts';
import type { AdminStore } from './admin-store.ts';
import { sampleFleet, utilisation } from './admin-utilisation.ts';
import { addAudit, auditBefore, boundAudit, countAudit, listAudit, sweepAudit } from './audit.ts';
import type { Engine } from './engine.ts';
import type { GroupStore } from './group-store.ts';
import { usageDays } from './usage-days.ts';

export function adminStoreOn(engine: Engine): AdminStore & GroupStore {
  return {
    noteKeyUse: (use) => noteKeyUse(engine, use),
    makeKey: (command, audit) => makeKey(engine, command, audit),
    getKey: (keyId) => getKey(engine, keyId),
    pageKeys: (query) => pageKeys(engine, query),
    sweepKeys: (options) => sweepKeys(engine, options),
    usageDays: (accountId, month) => usageDays(engine, accountId, month),
    pageAccounts: (query) => pageAccounts(engine, query),
    makeAccount: (command, audit) => makeAccount(engine, command, audit),
    changeAccount: (change, audit) => changeAccount(engine, change, audit),
    listFleetDevices: (query) => listFleetDevices(engine, query),
    getFleetDevice: (deviceId) => getFleetDevice(engine, deviceId),
    changeDevice: (change, audit) => changeDevice(engine, change, audit),
    forgetDevice: (deviceId, audit) => forgetDevice(engine, deviceId, audit),
    pageGroups: (query) => pageGroups(engine, query),
    makeGroup: (command, audit) => makeGroup(engine, command, audit),
    changeGroup: (change, audit) => changeGroup(engine, change, audit),
    deleteGroup: (groupId, audit) => deleteGroup(engine, groupId, audit),
    pageHosts: (query) => pageHosts(engine, query),
    getHost: (hostId) => getHost(engine, hostId),
    listFleetSessions: (query) => listFleetSessions(engine, query),
    sampleFleet: () => sampleFleet(engine),
    utilisation: (hours) => utilisation(engine, hours),
    addAudit: (notes) => addAudit(engine, notes),
    listAudit: (query) => listAudit(engine, query),
    auditBefore: (query) => auditBefore(engine, query),
    countAudit: (counts) => countAudit(engine, counts),
    sweepAudit: (options) => sweepAudit(engine, options),
    boundAudit: (options) => boundAudit(engine, options),
  };
}
