import type { Log } from '../util/log.ts';
import { createAccount, listAccounts, usage } from './accounts.ts';
import { adminStoreOn } from './admin-store-on.ts';
import {
  createApp,
  deleteApp,
  forgetApps,
  getApp,
  getKeptApp,
  listApps,
  requestApp,
  unneededApps,
} from './apps.ts';
import { census } from './census.ts';
import { connect } from './connect.ts';
import { getDevice, getDevices, listDevices } from './devices.ts';
import { type Engine, sql } from './engine.ts';
import { eventLog } from './events.ts';
import { addHost, listHosts, revokeHost } from './host-admin.ts';
import { reportHost } from './hosts.ts';
import { authenticate, createKey, ensureBootstrapKey, listKeys, revokeKey, validKeys } from './keys.ts';
import { withOutageLog } from './outage-log.ts';
import { openPostgres } from './postgres.ts';
import { phoneQueue } from './queue.ts';
import { reap } from './reaper.ts';
import { rotateSecrets, secret, secrets } from './secrets.ts';
import { end, extend, getSession, getSessions, listSessions } from './sessions.ts';
import { groupsOfAccounts } from './sight.ts';
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';
import { userStore } from './user-store-on.ts';
import { webhookStore } from './webhook-store-on.ts';

/** Where the rows are: a file of the embedded engine, or a server's `postgres://…` address. */
export type StoreLocation = { sqliteFile: string } | { databaseUrl: string };

export interface StoreOptions {
  log: Log;
  /**
   * Milliseconds by which the store's clock goes before the engine's, read at every transaction: tests travel in time
   * with it. Default: 0.
   */
  clockOffsetMs?: () => number;
}

/**
 * Opens the store, and brings its schema up to date.
 * @throws StoreUnavailableError, SchemaTooNewError
 */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const clockOffsetMs = options.clockOffsetMs ?? (() => 0);
  const engine =
    'sqliteFile' in location
      ? await openSqlite(location.sqliteFile, clockOffsetMs)
      : await openPostgres(location.databaseUrl, clockOffsetMs, options.log);
  return storeOn(withOutageLog(engine, options.log), options.log);
}

function storeOn(engine: Engine, log: Log): Store {
  return {
    ...eventLog(engine),
    ...phoneQueue(engine),
    ...userStore(engine),
    ...webhookStore(engine),
    get waiting() {
      return engine.waiting;
    },
    ...adminStoreOn(engine),
    ping: async () => void (await engine.run(sql`select 1`)),
    census: () => census(engine),
    secret: (name, make) => secret(engine, name, make),
    secrets: (name) => secrets(engine, name),
    rotateSecrets: (names) => rotateSecrets(engine, names),
    ensureBootstrapKey: (options) => ensureBootstrapKey(engine, options),
    createAccount: (account) => createAccount(engine, account),
    listAccounts: () => listAccounts(engine),
    createKey: (key) => createKey(engine, key),
    listKeys: (accountName) => listKeys(engine, accountName),
    revokeKey: (keyId) => revokeKey(engine, keyId),
    authenticate: (hash) => authenticate(engine, hash),
    validKeys: (keyIds) => validKeys(engine, keyIds),
    listDevices: (query) => listDevices(engine, query),
    getDevice: (deviceId, accountId) => getDevice(engine, deviceId, accountId),
    getDevices: (deviceIds) => getDevices(engine, deviceIds),
    groupsOf: (accountIds) => groupsOfAccounts(engine, accountIds),
    connect: (command) => connect(engine, command),
    end: (command) => end(engine, command),
    extend: (command) => extend(engine, command),
    getSession: (sessionId, accountId) => getSession(engine, sessionId, accountId),
    getSessions: (sessionIds) => getSessions(engine, sessionIds),
    listSessions: (query) => listSessions(engine, query),
    usage: (accountId) => usage(engine, accountId),
    createApp: (command) => createApp(engine, command),
    getApp: (appId, accountId) => getApp(engine, appId, accountId),
    getKeptApp: (appId) => getKeptApp(engine, appId),
    listApps: (query) => listApps(engine, query),
    deleteApp: (appId, accountId) => deleteApp(engine, appId, accountId),
    unneededApps: (limit) => unneededApps(engine, limit),
    forgetApps: (appIds) => forgetApps(engine, appIds),
    requestApp: (command) => requestApp(engine, command),
    reportHost: (report) => reportHost(engine, report, log),
    addHost: (host) => addHost(engine, host),
    listHosts: () => listHosts(engine),
    revokeHost: (hostId) => revokeHost(engine, hostId),
    reap: (options) => reap(engine, options),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
