/** The HTTP API on a store, in a separate process. Its hosts are test doubles on the in-process bus. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { Authenticator } from '../../src/api/authenticate.ts';
import { noApiMeter } from '../../src/api/context.ts';
import { RequestLimits } from '../../src/api/limits/request-limits.ts';
import { buildApi } from '../../src/api/server.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { OperationId } from '../../src/contract/http/operations.ts';
import { AppFolder } from '../../src/control-plane/apps/app-folder.ts';
import { ArtifactFolder } from '../../src/control-plane/artifacts/artifact-folder.ts';
import { AuditTrail } from '../../src/control-plane/audit/trail.ts';
import { EventTail } from '../../src/control-plane/events/event-tail.ts';
import { handleReport } from '../../src/control-plane/hosts/reports.ts';
import { BorrowQueue } from '../../src/control-plane/queue/borrow-queue.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { TicketIssuer } from '../../src/link/ticket-issuer.ts';
import type { AuditEvent, AuditTarget } from '../../src/store/audit/audit-store.ts';
import { openStore, type StoreLocation } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { timeOrderedId } from '../../src/util/ids.ts';
import { silentLog } from '../../src/util/log.ts';
import { Slots } from '../../src/util/slots.ts';
import { noSteps } from '../../src/util/steps.ts';
import { answerParent } from './child.ts';
import { cleaningHost } from './cleaning-host.ts';
import { addBorrowers, addPhones, type Borrower, cleanPhones, deviceId, hostId } from './shelf.ts';

/** Body of the answers of the constant route. */
let constant = '{}';
let store: Store;
let borrowers: Borrower[] = [];
const bus = new InProcessBus();

async function open(options: { location: StoreLocation; borrowers: number }) {
  store = await openStore(options.location, { log: silentLog });
  borrowers = await addBorrowers(store, options.borrowers);
  const origins = () => ({ stream: 'wss://localhost:7143', control: 'wss://127.0.0.1:7143' });
  // The requests are counted as in production, but these limits are never reached.
  const requestLimits = new RequestLimits({ key: 1e8, connect: 1e8, address: 1e8, failed: 1e8 });
  const guards = {
    limits: requestLimits,
    authenticator: new Authenticator(store, silentLog, requestLimits),
    trail: new AuditTrail(store, silentLog),
  };
  const limits = {
    maxDurationMinutes: 480,
    maxKeyLifetimeMs: 90 * 86_400_000,
    maxAppBytes: 0,
    hostsMustBeKnown: false,
    maxDevicesPerHost: 100_000,
    newAccounts: {
      ...{ quotaMinutes: null, maxSessions: null, maxAppBytes: null },
      ...{ maxArtifactBytes: null, artifactDays: null },
    },
    diskReserveBytes: 0,
    uploads: new Slots({ total: 1, perSubject: 1 }),
    maxFileBytes: 1,
    transfers: new Slots({ total: 1, perSubject: 1 }),
    downloads: new Slots({ total: 1, perSubject: 1 }),
    artifactUploads: new Slots({ total: 1, perSubject: 1 }),
    ...guards,
    webhooks: { mayBePrivate: false, notify: () => {} },
  };
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-apps-'));
  const appFiles = await AppFolder.open(folder);
  const artifactFiles = await ArtifactFolder.open(join(folder, 'artifacts'));
  const tickets = new TicketIssuer(new InProcessLinks().listen('api'));
  const parts = {
    ...{ store, bus, log: silentLog, steps: noSteps, meter: noApiMeter },
    ...{ origins, tokenKeys: TokenKeys.of(randomBytes(32)) },
  };
  const going = { events: new EventTail(parts), borrowQueue: new BorrowQueue(parts) };
  const context = { ...parts, ...going, tickets, appFiles, artifactFiles, ...limits };
  bus.serve('control-plane.report', ANY_ADDRESS, (report, host) => handleReport(context, report, host));
  const api = await buildApi(context);
  // Uses the same server, framework, hooks and answer size, but no key, no store and no serialization.
  api.get('/constant', (_request, reply) => reply.type('application/json').send(constant));
  await api.ready();
  const server: Server = createServer(api.routing);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, borrowers };
}

/** Adds hosts that accept every order. `cleans` sets whether they report their phones clean after each session. */
function serveHosts(options: { from: number; to: number; phonesPerHost: number; cleans: boolean }): void {
  for (let first = options.from; first < options.to; first += options.phonesPerHost) {
    const id = hostId(first, options.phonesPerHost);
    if (options.cleans) cleaningHost(bus, id, first, options.phonesPerHost);
    else bus.serve('host.orders', id, async () => ({}));
  }
}

/**
 * Connects and disconnects directly in the store, with one concurrent pair per borrower and with the audit entries that
 * the same requests have over HTTP. Returns pairs per second.
 */
async function connectInStore(options: { seconds: number; from: number; to: number }): Promise<number> {
  const share = Math.floor((options.to - options.from) / borrowers.length);
  const start = performance.now();
  let pairs = 0;
  const run = async ({ accountId, keyId }: Borrower, index: number) => {
    const auditEvent = (action: OperationId, target: AuditTarget): AuditEvent => {
      return { accountId, keyId, action, address: '127.0.0.1', targets: [target] };
    };
    for (let turn = 0; performance.now() - start < options.seconds * 1000; turn++) {
      if (turn >= share) throw new Error(`a share of ${share} phones for each borrower is too small`);
      const phone = options.from + index * share + ((turn * 7919) % share);
      const sessionId = timeOrderedId('ses_');
      const command = { sessionId, deviceId: deviceId(phone), accountId, keyId, minutes: 30, appId: null };
      const outcome = await store.connect(
        { ...command, record: null, recordText: false, idempotency: null },
        auditEvent('devices.connect', { kind: 'device', id: command.deviceId }),
      );
      if (!outcome.ok)
        throw new Error(`the connect to phone ${phone} was rejected: ${JSON.stringify(outcome.refusal)}`);
      await store.end(
        { sessionId, accountId, reason: 'client' },
        auditEvent('sessions.disconnect', { kind: 'session', id: sessionId }),
      );
      pairs += 1;
    }
  };
  await Promise.all(borrowers.map(run));
  return pairs / ((performance.now() - start) / 1000);
}

answerParent({
  open,
  addPhones: (options: Parameters<typeof addPhones>[1]) => addPhones(store, options),
  cleanPhones: (options: Parameters<typeof cleanPhones>[1]) => cleanPhones(store, options),
  serveHosts,
  connectInStore,
  answerConstantly: (length: number) => {
    constant = JSON.stringify({ code: 0, message: 'success', data: '' });
    constant = constant.replace('""', `"${'x'.repeat(Math.max(0, length - constant.length))}"`);
  },
});
