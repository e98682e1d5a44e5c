import { changeAccount, makeAccount, pageAccounts } from './accounts/fleet-accounts.ts';
import { getKey, makeKey, pageKeys, recordKeyUse, sweepKeys } from './accounts/fleet-keys.ts';
import { usageDays } from './accounts/usage-days.ts';
import type { AdminStore } from './admin-store.ts';
import { addAudit, auditBefore, boundAudit, countAudit, listAudit, sweepAudit } from './audit/audit.ts';
import { changeDevice, forgetDevice, getFleetDevice, listFleetDevices } from './devices/fleet-devices.ts';
import type { GroupStore } from './devices/group-store.ts';
import { changeGroup, deleteGroup, makeGroup, pageGroups } from './devices/groups.ts';
import type { Engine } from './engine/engine.ts';
import { getHost, pageHosts } from './hosts/fleet-hosts.ts';
import { listFleetSessions } from './sessions/fleet-sessions.ts';
import { sampleFleet, utilisation } from './sessions/utilisation.ts';

export function adminStoreOn(engine: Engine): AdminStore & GroupStore {
  return {
    recordKeyUse: (use) => recordKeyUse(engine, use),
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
