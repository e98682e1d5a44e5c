import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Role } from '../../src/contract/http/key.ts';
import type { DeviceRow } from '../../src/store/devices/device-store.ts';
import type { ConnectCommand, NewAccount, SessionRow } from '../../src/store/entities.ts';
import type { HostReport, PhoneReport } from '../../src/store/hosts/host-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Account, newAccount } from '../fixtures/accounts.ts';

export type { Account } from '../fixtures/accounts.ts';

export const MINUTE = 60_000;

/** An empty database of one engine. */
export interface Database extends AsyncDisposable {
  open(clockOffsetMs: () => number): Promise<Store>;
  /** Runs one statement outside the store. */
  query<R>(text: string): Promise<R[]>;
}

/**
 * What the store's tests work with: a store whose clock they control, on a database that is empty at the start of
 * each test.
 */
export interface World {
  store: Store;
  query: Database['query'];
  /** Advances the store's clock. */
  travel(ms: number): void;
  now(): number;
  account(limits?: Partial<NewAccount> & { role?: Role }): Promise<Account>;
  /** Creates an app of the account and returns its id. Each app has different content unless `sha256` is given. */
  app(account: Account, sha256?: string): Promise<string>;
  /** Sends a complete report of one host's phones. The phones are clean unless the report says otherwise. */
  report(phones: (Partial<PhoneReport> & { id: string })[], host?: Partial<HostReport>): Promise<Report>;
  connect(account: Account, deviceId: string, more?: Partial<ConnectCommand>): Promise<Outcome>;
  /** Connects and returns the session. Fails the test if the connect is rejected. */
  startSession(account: Account, deviceId: string, more?: Partial<ConnectCommand>): Promise<SessionRow>;
  /** Returns the device's row, independently of its visibility. */
  device(deviceId: string): Promise<DeviceRow | null>;
  /** Reports the session's phone as ready. */
  bringUp(session: SessionRow): Promise<void>;
}

type Report = NonNullable<Awaited<ReturnType<Store['reportHost']>>>;
type Outcome = Awaited<ReturnType<Store['connect']>>;

/** Child tables first, as the foreign keys require. */
const TABLES = [
  'group_accounts',
  'webhook_deliveries',
  'webhooks',
  'waiters',
  'waiter_processes',
  'audit',
  'fleet_hours',
  'idempotency_keys',
  'apps',
  'artifacts',
  'watch_links',
  'sessions',
  'usage',
  'keys',
  'users',
  'accounts',
  'devices',
  'device_groups',
  'hosts',
  'secrets',
  'events',
];

/** Opens one database per file and empties it before each test. */
export function useWorld(prepare: () => Promise<Database>): World {
  let database: Database;
  let offset = 0;
  const world = {} as World;
  beforeAll(async () => {
    database = await prepare();
    world.store = await database.open(() => offset);
    world.query = (text) => database.query(text);
  });
  beforeEach(async () => {
    offset = 0;
    for (const table of TABLES) await database.query(`delete from ${table}`);
    await database.query('update webhook_fan_out set cursor = null');
  });
  afterAll(async () => {
    await world.store?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  const travel = (ms: number) => {
    offset += ms;
  };
  return Object.assign(world, { now: () => Date.now() + offset, travel }, actions(world));
}

function actions(world: World): Omit<World, 'store' | 'query' | 'travel' | 'now'> {
  const connect: World['connect'] = (account, deviceId, more) =>
    world.store.connect({
      sessionId: randomUUID(),
      deviceId,
      accountId: account.accountId,
      keyId: account.keyId,
      minutes: 30,
      appId: null,
      record: null,
      recordText: false,
      idempotency: null,
      ...more,
    });
  const report: World['report'] = async (phones, host) => {
    const answer = await world.store.reportHost({
      hostId: 'host-1',
      hostName: 'shelf',
      complete: true,
      phones: phones.map(phoneReport),
      ...host,
    });
    if (!answer) throw new Error('the report of the host was rejected');
    return answer;
  };
  return {
    connect,
    report,
    device: async (deviceId) => (await world.store.getDevices([deviceId]))[0] ?? null,
    app: async ({ accountId, keyId }, sha256 = randomUUID()) => {
      const outcome = await world.store.createApp({
        keyId,
        app: appOf(accountId, sha256),
        maxApps: 100,
        idempotency: null,
      });
      if (!outcome.ok) throw new Error('the app was not created');
      return outcome.app.id;
    },
    account: (options) => newAccount(world.store, options),
    startSession: async (account, deviceId, more) => {
      const outcome = await connect(account, deviceId, more);
      expect(outcome).toMatchObject({ ok: true });
      return (outcome as { session: SessionRow }).session;
    },
    bringUp: async ({ id, deviceId, hostId, epoch }) => {
      const lease = { sessionId: id, epoch, connected: true, app: null };
      await report([{ id: deviceId, cleanEpoch: epoch - 1, lease }], { hostId, complete: false });
    },
  };
}

export const appOf = (accountId: string, sha256: string) => ({
  id: `app_${randomUUID()}`,
  accountId,
  sha256,
  size: 1000,
  storedSize: 1500,
  packageName: 'com.example.app',
  name: 'Example',
  version: '1.0',
  versionCode: 1,
  minSdk: null,
  iconType: null,
});

export function phoneReport({ id, ...more }: Partial<PhoneReport> & { id: string }): PhoneReport {
  return {
    description: {
      id,
      name: `Phone ${id}`,
      brand: 'Google',
      model: 'GX7AS',
      os_version: '14',
      screen_size: '6.1',
      resolution: '1080x2400',
    },
    usable: true,
    problem: null,
    cleanEpoch: 0,
    lease: null,
    ...more,
  };
}
