import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SocketPurpose, socketToken } from '../../src/access/socket-token.ts';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { AdbGateway } from '../../src/control-gateway/adb/adb-gateway.ts';
import { ControlGateway } from '../../src/control-gateway/control-gateway.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { SessionRow } from '../../src/store/entities.ts';
import type { Store } from '../../src/store/store.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { silentLog } from '../../src/util/log.ts';
import { type Account, newKey } from '../fixtures/accounts.ts';
import { promised } from '../nightly.ts';
import { type Database, useWorld } from '../store/world.ts';
import { AgentDouble } from './agent-double.ts';
import { Client, refusal, serve, until } from './client.ts';

const TOKEN_KEY = new Uint8Array(32).fill(3);
/** Time within which a revocation must take effect on every socket, in ms. */
const WITHIN_MS = promised(5_000);

/** Starts a process with all gateways, on a bus that receives no message from other processes. */
async function startSite(store: Store) {
  const opened = new AsyncDisposableStack();
  const bus = opened.use(new InProcessBus());
  const links = new InProcessLinks();
  const agent = new AgentDouble(bus, links, 'host-1');
  agent.onLink = (link) =>
    link.send(JSON.stringify({ type: 'ready', width: 540, height: 1170, capabilities: ['tap'] }));
  const common = { store, bus, tokenKeys: TokenKeys.of(TOKEN_KEY), log: silentLog };
  const recordAction = async () => {};
  const gateways = {
    stream: opened.use(new StreamGateway({ ...common, links: links.listen('stream') })),
    control: opened.use(
      new ControlGateway({ ...common, recordAction, links: links.listen('control'), maxDurationMinutes: 60 }),
    ),
    adb: opened.use(new AdbGateway({ ...common, recordAction, links: links.listen('adb') })),
  };
  const server = await serve({
    handleUpgrade: (request, socket, head) =>
      gateways[request.url!.split('/')[1] as SocketPurpose].handleUpgrade(request, socket, head),
  });
  opened.defer(() => server.close());
  return { origin: server.origin, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Tests that a revocation takes effect within 5 s at two gateways that share a real store but no bus. */
export function revocationSuite(name: string, prepare: () => Promise<Database>): void {
  describe(`revocations at two gateways with ${name}`, () => {
    const world = useWorld(prepare);
    let sites: Awaited<ReturnType<typeof startSite>>[];
    let clients: Client[];
    let owner: Account;
    let session: SessionRow;
    /** Another key of the owner's account. */
    let otherKeyId: string;

    const newKeyId = async ({ accountId }: Account, validForMs: number | null = null) =>
      (await newKey(world.store, accountId, { name: 'other', validForMs })).id;

    beforeEach(async () => {
      sites = [await startSite(world.store), await startSite(world.store)];
      clients = [];
      owner = await world.account();
      otherKeyId = await newKeyId(owner);
      await world.report([{ id: 'd1' }]);
      session = await world.startSession(owner, 'd1');
      await world.bringUp(session);
    });
    afterEach(async () => {
      for (const { socket } of clients) socket.terminate();
      for (const site of sites) await site[Symbol.asyncDispose]();
    });

    const addressAt = (site: number, purpose: SocketPurpose, grantId: string) => {
      const { id: sessionId, epoch } = session;
      const token = socketToken(TOKEN_KEY, { purpose, sessionId, epoch, grantId });
      return `${sites[site]!.origin}/${purpose}/${token}/${sessionId}`;
    };
    const open = async (site: number, purpose: SocketPurpose, grantId: string) => {
      const client = new Client(addressAt(site, purpose, grantId));
      clients.push(client);
      await client.opened;
      return client;
    };
    /**
     * Opens a stream socket at both gateways, and one control and one adb socket, since a session has one controller.
     */
    const openAll = (grantId: string) =>
      Promise.all([
        open(0, 'stream', grantId),
        open(1, 'stream', grantId),
        open(0, 'control', grantId),
        open(1, 'adb', grantId),
      ]);

    const expectClosed = async (doomed: Client[], since: number) => {
      for (const client of doomed) await until(() => expect(client.closed).toMatchObject({ code: 4003 }));
      expect(performance.now() - since).toBeLessThan(WITHIN_MS);
    };
    const expectRefused = async (purpose: SocketPurpose, grantId: string) => {
      for (const site of [0, 1])
        expect(await refusal(addressAt(site, purpose, grantId))).toMatchObject({
          ...{ status: 401, body: { code: 40001 } },
        });
    };

    test('a revoked key loses its sockets on other keys’ sessions, which continue', async () => {
      const thirdKeyId = await newKeyId(owner);
      const kept = [
        await open(0, 'stream', owner.keyId),
        await open(1, 'stream', owner.keyId),
        await open(0, 'stream', thirdKeyId),
        await open(1, 'stream', thirdKeyId),
      ];
      const doomed = await openAll(otherKeyId);
      const since = performance.now();
      await world.store.revokeKey(otherKeyId);
      await expectClosed(doomed, since);
      for (const purpose of ['stream', 'control', 'adb'] as const) await expectRefused(purpose, otherKeyId);
      expect(kept.map(({ closed }) => closed)).toEqual([null, null, null, null]);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connected' });
      await open(0, 'control', owner.keyId);
    });

    test('revoking the key that created a session ends the session', async () => {
      const doomed = await openAll(owner.keyId);
      const since = performance.now();
      await world.store.revokeKey(owner.keyId);
      await expectClosed(doomed, since);
      expect(await world.store.getSession(session.id)).toMatchObject({ endReason: 'admin' });
    });

    test('a key that expires loses its sockets, and its session continues', async () => {
      const expiring = await newKeyId(owner, 60_000);
      const doomed = await openAll(expiring);
      const since = performance.now();
      world.travel(61_000);
      await expectClosed(doomed, since);
      await expectRefused('stream', expiring);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connected' });
    });

    test('a disabled user loses their sockets on other users’ sessions', async () => {
      const outcome = await world.store.admitUser({
        identity: { issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: null },
        access: { account: { name: owner.name, quotaMinutes: null, maxSessions: null }, role: 'user' },
        ticket: { hash: 'ticket', validForMs: 60_000 },
      });
      if (!outcome.ok) throw new Error('the user was not admitted');
      const key = await world.store.claimKey({
        ticketHash: 'ticket',
        key: { name: 'Console', hash: randomUUID(), prefix: 'pb_1', validForMs: 3_600_000 },
        maxKeys: 10,
      });
      const doomed = await openAll(key!.id);
      const since = performance.now();
      await world.store.updateUser({ userId: outcome.user.id, disabled: true });
      await expectClosed(doomed, since);
      await expectRefused('control', key!.id);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connected' });
    });

    test('a disabled account loses all sockets', async () => {
      const doomed = await openAll(otherKeyId);
      const since = performance.now();
      await world.store.updateAccount({ accountId: owner.accountId, disabled: true });
      await expectClosed(doomed, since);
    });

    test('a revoked watch link loses its viewers, without affecting another link or the session', async () => {
      const { accountId, keyId } = owner;
      const links = [];
      for (let n = 0; n < 2; n += 1) {
        const subject = { shows: 'screen' } as const;
        const command = { sessionId: session.id, accountId, keyId, subject, maxLinks: 10, idempotency: null };
        const outcome = await world.store.createWatchLink(command);
        if (!outcome?.ok) throw new Error('no watch link was created');
        links.push(outcome.link.id);
      }
      const [revoked, kept] = links as [string, string];
      const doomed = [await open(0, 'stream', revoked), await open(1, 'stream', revoked)];
      const others = [await open(0, 'stream', kept), await open(1, 'stream', owner.keyId)];
      const since = performance.now();
      await world.store.revokeWatchLink({ linkId: revoked, sessionId: session.id, accountId });
      await expectClosed(doomed, since);
      await expectRefused('stream', revoked);
      expect(others.map(({ closed }) => closed)).toEqual([null, null]);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connected' });
    });

    test('a valid key of another account in an address is rejected', async () => {
      const stranger = await world.account();
      const mine = addressAt(0, 'stream', owner.keyId);
      const foreign = mine.replace(owner.keyId, stranger.keyId);
      expect(await refusal(foreign)).toMatchObject({ status: 401, body: { code: 40001 } });
      await expectRefused('stream', 'key_none');
    });
  });
}
