import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { Authenticator } from '../../src/api/authenticate.ts';
import { BASE_PATH } from '../../src/api/base-path.ts';
import { type ApiContext, noApiMeter } from '../../src/api/context.ts';
import { openApiDocument } from '../../src/api/descriptions/openapi.ts';
import { RequestLimits, type RequestRates } from '../../src/api/limits/request-limits.ts';
import { buildApi } from '../../src/api/server.ts';
import { addSharedRecordings } from '../../src/api/shared-recordings/routes.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { Role } from '../../src/contract/http/key.ts';
import { operations } from '../../src/contract/http/operations.ts';
import { AppFolder } from '../../src/control-plane/apps/app-folder.ts';
import { ArtifactFolder } from '../../src/control-plane/artifacts/artifact-folder.ts';
import { AuditTrail } from '../../src/control-plane/audit/trail.ts';
import { EventTail, type EventTailOptions } from '../../src/control-plane/events/event-tail.ts';
import { BorrowQueue, type BorrowQueueOptions } from '../../src/control-plane/queue/borrow-queue.ts';
import { type DelivererOptions, WebhookDeliverer } from '../../src/control-plane/webhooks/deliverer.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { TicketIssuer } from '../../src/link/ticket-issuer.ts';
import { AddressLimit } from '../../src/server/address-limit.ts';
import { clientAddress } from '../../src/server/client-address.ts';
import { addWebPages } from '../../src/server/web-pages.ts';
import { type WebHandlers, WebServer } from '../../src/server/web-server.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type Store, StoreUnavailableError } from '../../src/store/store.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import { Slots } from '../../src/util/slots.ts';
import { noSteps } from '../../src/util/steps.ts';
import type { OpenApiDocument } from '../black-box/kit/description.ts';
import { newAccount } from '../fixtures/accounts.ts';
import { createMigratedSqlite } from '../fixtures/migrated-sqlite.ts';

interface ReportedPhone {
  id: string;
  name?: string;
  model?: string;
  usable?: boolean;
  cleanEpoch?: number | null;
}

export interface ApiRig extends AsyncDisposable {
  store: Store;
  /** Context that the API runs with. A second API on the same store can use it. */
  context: ApiContext;
  events: EventTail;
  borrowQueue: BorrowQueue;
  /** On which a host dials the API. */
  links: InProcessLinks;
  /** Folder of the artifacts. */
  artifactsDir: string;
  baseUrl: string;
  /** The service's own OpenAPI 3.1 document. */
  openapi: OpenApiDocument;
  /** While true, every call that the API makes to the store fails as in an outage. */
  storeIsUnavailable: boolean;
  /** Advances the clock of the store and the clock of the rate limits. The latter does not advance by itself. */
  travel(ms: number): void;
  /** Creates an account with one key. */
  key(account?: string, role?: Role): Promise<{ keyId: string; accountId: string; key: string }>;
  /** Sends a host's report of its phones. */
  report(...phones: ReportedPhone[]): Promise<void>;
}

/** Starts the API on an embedded store, in this process, with phones of a host that only sends reports. */
export async function startApiRig(
  options: {
    tail?: EventTailOptions;
    waiting?: BorrowQueueOptions;
    webhooks?: Partial<DelivererOptions>;
    rates?: Partial<RequestRates>;
    trustedProxies?: string[];
    /** URL of a PostgreSQL database to use instead of the embedded store. */
    databaseUrl?: string;
    log?: Log;
    /** Whether to serve the console, the documentation and the API's descriptions. */
    pages?: boolean;
  } = {},
): Promise<ApiRig> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-rig-'));
  opening.defer(() => rm(folder, { recursive: true }));
  let offset = 0;
  const { databaseUrl, log = silentLog } = options;
  const sqliteFile = join(folder, 'rig.db');
  if (!databaseUrl) await createMigratedSqlite(sqliteFile);
  const where = databaseUrl ? { databaseUrl } : { sqliteFile };
  const store = opening.use(await openStore(where, { log, clockOffsetMs: () => offset }));
  const bus = opening.use(new InProcessBus());
  const rig = { storeIsUnavailable: false } as ApiRig;
  const parts = {
    ...{
      store: failingStore(store, () => rig.storeIsUnavailable),
      bus,
      log,
      steps: noSteps,
      meter: noApiMeter,
    },
    ...{
      tokenKeys: TokenKeys.of(Buffer.alloc(32)),
      origins: () => ({ stream: 'wss://localhost', control: 'wss://127.0.0.1' }),
    },
  };
  const events = new EventTail(parts, options.tail);
  const borrowQueue = new BorrowQueue(parts, options.waiting);
  const delivering = { mayBePrivate: false, version: '0', ...options.webhooks };
  const deliverer = new WebhookDeliverer(parts, delivering);
  const limits = new RequestLimits(
    { key: null, connect: null, address: null, failed: null, ...options.rates },
    () => offset,
  );
  const guards = {
    limits,
    authenticator: new Authenticator(parts.store, log, limits),
    trail: new AuditTrail(parts.store, log),
  };
  opening.use(guards.trail);
  const links = new InProcessLinks();
  const artifactsDir = join(folder, 'artifacts');
  const context: ApiContext = {
    ...{ ...parts, events, borrowQueue },
    tickets: new TicketIssuer(links.listen('api')),
    appFiles: await AppFolder.open(join(folder, 'apps')),
    artifactFiles: await ArtifactFolder.open(artifactsDir),
    artifactUploads: new Slots({ total: 3, perSubject: 2 }),
    downloads: new Slots({ total: 4, perSubject: 3 }),
    ...{ maxDurationMinutes: 480, maxKeyLifetimeMs: 90 * 86_400_000, maxAppBytes: 1024 },
    ...{ hostsMustBeKnown: false, maxDevicesPerHost: 1_000 },
    ...{ diskReserveBytes: 0, uploads: new Slots({ total: 4, perSubject: 3 }) },
    ...{ maxFileBytes: 1024, transfers: new Slots({ total: 4, perSubject: 3 }) },
    newAccounts: {
      ...{ quotaMinutes: null, maxSessions: null, maxAppBytes: null },
      ...{ maxArtifactBytes: null, artifactDays: null },
    },
    ...guards,
    webhooks: { mayBePrivate: delivering.mayBePrivate, notify: () => deliverer.notify() },
  };
  const { trustedProxies = [] } = options;
  const api = await buildApi(context, { trustedProxies });
  addSharedRecordings(api, { ...context, tokenKeys: parts.tokenKeys });
  const openapi = openApiDocument(BASE_PATH, operations(context));
  if (options.pages) await addWebPages(api, { origins: parts.origins, openApi: () => openapi });
  await api.ready();
  const addressLimit = new AddressLimit(context.limits, clientAddress(trustedProxies));
  opening.defer(() => api.close());
  const handlers: WebHandlers = {
    request: addressLimit.request(api.routing),
    upgrade: (_request, socket) => socket.destroy(),
  };
  const server = opening.use(await WebServer.listen({ host: '127.0.0.1', port: 0, handlers }));
  opening.use(events);
  opening.use(borrowQueue);
  if (options.webhooks) opening.use(deliverer).start();
  const opened = opening.move();
  return Object.assign(rig, {
    ...{
      store,
      context,
      events,
      borrowQueue,
      links,
      artifactsDir,
      baseUrl: `http://127.0.0.1:${server.port}/v1`,
    },
    openapi,
    travel: (ms: number) => {
      offset += ms;
    },
    key: (account?: string, role?: Role) => newCaller(store, account, role),
    report: (...phones: ReportedPhone[]) => report(store, phones),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  });
}

function failingStore(store: Store, isAway: () => boolean): Store {
  return new Proxy(store, {
    get(target, name) {
      const method = target[name as keyof Store] as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) =>
        isAway()
          ? Promise.reject(new StoreUnavailableError(new Error('unplugged')))
          : method.apply(target, args);
    },
  });
}

async function newCaller(store: Store, name: string = randomUUID(), role: Role = 'user') {
  const key = `pb_${randomUUID()}`;
  const hash = createHash('sha256').update(key).digest('hex');
  const { keyId, accountId } = await newAccount(store, { name, role, hash });
  return { keyId, accountId, key };
}

async function report(store: Store, phones: ReportedPhone[]): Promise<void> {
  await store.reportHost({
    ...{ hostId: 'host-1', hostName: 'shelf', complete: false },
    phones: phones.map(({ id, name = id, model = 'M1', usable = true, cleanEpoch = 0 }) => ({
      description: {
        ...{ id, name, brand: 'google', model, os_version: '14' },
        ...{ screen_size: '6.1', resolution: '1080x2400' },
      },
      ...{ usable, problem: usable ? null : 'it does not answer', cleanEpoch, lease: null },
    })),
  });
}
