import type { Log } from '../util/log.ts';
import { createAccount, listAccounts, usage } from './accounts/accounts.ts';
import { validGrants } from './accounts/grants.ts';
import { authenticate, createKey, ensureBootstrapKey, listKeys, revokeKey } from './accounts/keys.ts';
import { rotateSecrets, secret, secrets } from './accounts/secrets.ts';
import { userStore } from './accounts/user-store-on.ts';
import { adminStoreOn } from './admin-store-on.ts';
import { recordStoredSize, unmeasuredApps } from './apps/app-storage.ts';
import {
  createApp,
  deleteApp,
  forgetApps,
  getApp,
  getKeptApp,
  listApps,
  requestApp,
  unneededApps,
} from './apps/apps.ts';
import { getDevice, getDevices, listDevices } from './devices/devices.ts';
import { fleetCounts } from './devices/fleet-counts.ts';
import { groupsOfAccounts } from './devices/visibility.ts';
import { dataFiles } from './engine/data-folder.ts';
import { type Engine, sql } from './engine/engine.ts';
import { openPostgres } from './engine/postgres.ts';
import { openSqlite } from './engine/sqlite.ts';
import { eventLog } from './events/events.ts';
import { addHost, listHosts, revokeHost } from './hosts/host-credentials.ts';
import { reportHost } from './hosts/hosts.ts';
import { withOutageLog } from './outage-log.ts';
import { phoneQueue } from './queue/queue.ts';
import { connect } from './sessions/connect.ts';
import { reap } from './sessions/reaper.ts';
import { end, extend, getSession, getSessions, listSessions } from './sessions/sessions.ts';
import { watchLinkStore } from './sessions/watch-links.ts';
import type { Store } from './store.ts';
import { webhookStore } from './webhooks/webhook-store-on.ts';

/** Settings of the store: the folder of the embedded database, and the address of PostgreSQL, which replaces it. */
export interface StoreSettings {
  dataDir: string;
  databaseUrl: string | null;
}

/** Opens PostgreSQL if its address is configured, otherwise the embedded database in the data folder. */
export function openConfiguredStore(
  { databaseUrl, dataDir }: StoreSettings,
  options: StoreOptions,
): Promise<Store> {
  return openStore(databaseUrl ? { databaseUrl } : { sqliteFile: dataFiles(dataDir).database }, options);
}

/** Location of the database: a SQLite file, or a `postgres://…` URL. */
export type StoreLocation = { sqliteFile: string } | { databaseUrl: string };

export interface StoreOptions {
  log: Log;
  /**
   * Milliseconds that are added to the clock of the database to get the store's clock, read in every transaction.
   * Tests use it to advance time. Default: 0.
   */
  clockOffsetMs?: () => number;
}

/**
 * Opens the store and migrates its schema to the latest version.
 * @throws StoreUnavailableError, SchemaTooNewError
 */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const clockOffsetMs = options.clockOffsetMs ?? (() => 0);
  const engine =
    'sqliteFile' in location
      ? await openSqlite(location.sqliteFile, clockOffsetMs)
      : await openPostgres(location.databaseUrl, clockOffsetMs, options.log);
  return storeOn(withOutageLog(engine, options.log));
}

function storeOn(engine: Engine): Store {
  return {
    ...eventLog(engine),
    ...phoneQueue(engine),
    ...userStore(engine),
    ...watchLinkStore(engine),
    ...webhookStore(engine),
    get waiting() {
      return engine.waiting;
    },
    ...adminStoreOn(engine),
    ping: async () => void (await engine.run(sql`select 1`)),
    fleetCounts: () => fleetCounts(engine),
    secret: (name, make) => secret(engine, name, make),
    secrets: (name) => secrets(engine, name),
    rotateSecrets: (names, audit) => rotateSecrets(engine, names, audit),
    ensureBootstrapKey: (options) => ensureBootstrapKey(engine, options),
    createAccount: (account, audit) => createAccount(engine, account, audit),
    listAccounts: () => listAccounts(engine),
    createKey: (key, audit) => createKey(engine, key, audit),
    listKeys: (accountName) => listKeys(engine, accountName),
    revokeKey: (keyId, audit) => revokeKey(engine, keyId, audit),
    authenticate: (hash) => authenticate(engine, hash),
    validGrants: (grantIds) => validGrants(engine, grantIds),
    listDevices: (query) => listDevices(engine, query),
    getDevice: (deviceId, accountId) => getDevice(engine, deviceId, accountId),
    getDevices: (deviceIds) => getDevices(engine, deviceIds),
    groupsOf: (accountIds) => groupsOfAccounts(engine, accountIds),
    connect: (command, audit) => connect(engine, command, audit),
    end: (command, audit) => end(engine, command, audit),
    extend: (command, audit) => extend(engine, command, audit),
    getSession: (sessionId, accountId) => getSession(engine, sessionId, accountId),
    getSessions: (sessionIds) => getSessions(engine, sessionIds),
    listSessions: (query) => listSessions(engine, query),
    usage: (accountId) => usage(engine, accountId),
    createApp: (command, audit) => createApp(engine, command, audit),
    getApp: (appId, accountId) => getApp(engine, appId, accountId),
    getKeptApp: (appId) => getKeptApp(engine, appId),
    listApps: (query) => listApps(engine, query),
    deleteApp: (appId, accountId, audit) => deleteApp(engine, appId, accountId, audit),
    unneededApps: (limit) => unneededApps(engine, limit),
    forgetApps: (appIds) => forgetApps(engine, appIds),
    unmeasuredApps: (limit) => unmeasuredApps(engine, limit),
    recordStoredSize: (appId, bytes) => recordStoredSize(engine, appId, bytes),
    requestApp: (command, audit) => requestApp(engine, command, audit),
    reportHost: (report) => reportHost(engine, report),
    addHost: (host, audit) => addHost(engine, host, audit),
    listHosts: () => listHosts(engine),
    revokeHost: (hostId, audit) => revokeHost(engine, hostId, audit),
    reap: (options) => reap(engine, options),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
