import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditEvent, AuditTarget } from '../../src/store/audit/audit-store.ts';
import { storedArtifact } from './artifacts.ts';
import { type Account, appOf, MINUTE, type World } from './world.ts';

/** A change with an audit event, and its preparation on an empty store. */
interface AuditedChange {
  make(audit: AuditEvent): Promise<unknown>;
  /** The same operation in a state in which it is rejected or changes nothing. */
  refused?(audit: AuditEvent): Promise<unknown>;
  /** Targets in the audit event. A target is only a kind if the store generates the identifier. */
  targets: (AuditTarget | AuditTarget['kind'])[];
}

export function auditedChangeTests(world: World): void {
  const event = ({ accountId, keyId }: Partial<Account> = {}): AuditEvent => ({
    accountId: accountId ?? null,
    keyId: keyId ?? null,
    action: 'test.change',
    address: '192.0.2.7',
    targets: [],
  });
  const entries = async () => (await world.store.listAudit({ page: 1, pageSize: 100 })).items;

  describe('a change and its audit entry', () => {
    for (const [method, arrange] of Object.entries(changes(world))) {
      test(`${method}: are committed together, and a rejection has no entry`, async () => {
        const { make, refused, targets } = await arrange();
        const audit = event();
        await make(audit);
        expect(audit.isRecorded).toBe(true);
        const written = await entries();
        expect(written).toMatchObject([{ action: 'test.change', code: 0, address: '192.0.2.7' }]);
        expect(written[0]!.targets).toEqual(
          targets.map((target) =>
            typeof target === 'string' ? { kind: target, id: expect.any(String) } : target,
          ),
        );
        expect(Math.abs(written[0]!.at - world.now())).toBeLessThan(MINUTE);
        if (!refused) return;
        const second = event();
        await refused(second);
        expect(second.isRecorded).toBeUndefined();
        expect(await entries()).toHaveLength(1);
      });

      test(`${method}: are rolled back together if the entry cannot be written`, async () => {
        const { make } = await arrange();
        const before = await rowsOf(world);
        const audit = event();
        await world.query('alter table audit rename to audit_away');
        try {
          await expect(make(audit)).rejects.toThrow();
        } finally {
          await world.query('alter table audit_away rename to audit');
        }
        expect(await rowsOf(world)).toEqual(before);
        expect(audit.isRecorded).toBeUndefined();
      });
    }
  });

  test('an entry names the identifiers in the request before those that the change touched, at most two of different kinds', async () => {
    const account = await world.account();
    await world.report([{ id: 'd1' }]);
    const session = await world.startSession(account, 'd1');
    const audit = { ...event(account), targets: [{ kind: 'device' as const, id: 'd1' }] };
    await world.store.end({ sessionId: session.id, reason: 'admin' }, audit);
    const [entry] = await entries();
    expect(entry).toMatchObject({
      account: { id: account.accountId },
      key: { id: account.keyId },
      targets: [
        { kind: 'device', id: 'd1' },
        { kind: 'session', id: session.id },
      ],
    });
  });
}

const TABLES = ['accounts', 'keys', 'users', 'hosts', 'devices', 'sessions', 'apps', 'usage', 'secrets'];
const MORE_TABLES = [
  'device_groups',
  'group_accounts',
  'waiters',
  'webhooks',
  'webhook_deliveries',
  'artifacts',
];

const UNRECORDED = { record: null, recordText: false, idempotency: null };

/** Returns all rows that a change may touch, in a deterministic order. */
async function rowsOf(world: World): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const table of [...TABLES, ...MORE_TABLES, 'idempotency_keys']) {
    rows[table] = (await world.query(`select * from ${table}`)).map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}

function changes(world: World): Record<string, () => Promise<AuditedChange>> {
  const device = (id: string) => ({ kind: 'device' as const, id });
  const session = (id: string) => ({ kind: 'session' as const, id });

  const newSession = async () => {
    const account = await world.account();
    await world.report([{ id: 'd1' }]);
    return { account, session: await world.startSession(account, 'd1') };
  };
  const borrowing = async () => {
    const { accountId, keyId } = await world.account();
    await world.report([{ id: 'd1' }]);
    const filter = { brand: '', osVersion: '', model: '' };
    const wait = { processId: 'proc_1', maxWaiting: 10, maxWaitingPerAccount: 10 };
    const command = { accountId, keyId, minutes: 1, appId: null, ...UNRECORDED, filter };
    return { command: { ...command, sessionId: randomUUID(), wait }, processId: 'proc_1', filter };
  };
  const webhook = async () => {
    const { accountId } = await world.account();
    const { cursor } = await world.store.readEvents(null, 1);
    const command = (url: string) => ({
      webhook: {
        ...{ accountId, url, description: null, secret: new Uint8Array(32) },
        events: ['session.changed' as const],
      },
      ...{ maxWebhooks: 1, startAt: cursor, idempotency: null },
    });
    return { accountId, command };
  };
  const ownWebhook = async () => {
    const { accountId, command } = await webhook();
    const outcome = await world.store.createWebhook(command('https://example.com/'));
    if (!outcome.ok) throw new Error('the webhook was not created');
    const webhookId = outcome.created.id;
    return { accountId, webhookId, target: { kind: 'webhook' as const, id: webhookId } };
  };
  const group = async () => {
    const outcome = await world.store.createGroup({
      ...{ group: { name: 'one', accountIds: [] }, by: null, idempotency: null },
    });
    if (!outcome.ok) throw new Error('the group was not created');
    return { groupId: outcome.created.id, target: { kind: 'group' as const, id: outcome.created.id } };
  };
  const user = async () => {
    const ticketHash = randomUUID();
    const outcome = await world.store.admitUser({
      identity: { issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: null },
      access: { account: { name: 'qa', quotaMinutes: null, maxSessions: null }, role: 'user' },
      ticket: { hash: ticketHash, validForMs: MINUTE },
    });
    if (!outcome.ok) throw new Error('the user was not admitted');
    const key = { name: 'Console', hash: randomUUID(), prefix: 'pb_1', validForMs: MINUTE };
    return { userId: outcome.user.id, claim: { ticketHash, key, maxKeys: 10 } };
  };

  return {
    connect: async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const { accountId, keyId } = account;
      const command = { deviceId: 'd1', accountId, keyId, minutes: 1, appId: null, ...UNRECORDED };
      const sessionId = randomUUID();
      return {
        make: (audit) => world.store.connect({ ...command, sessionId }, audit),
        refused: (audit) => world.store.connect({ ...command, sessionId: randomUUID() }, audit),
        targets: [session(sessionId), device('d1')],
      };
    },
    'connect with an idempotency key': async () => {
      const { accountId, keyId } = await world.account();
      await world.report([{ id: 'd1' }]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const command = {
        deviceId: 'd1',
        accountId,
        keyId,
        minutes: 1,
        appId: null,
        ...UNRECORDED,
        idempotency,
      };
      const make = (audit: AuditEvent) => world.store.connect({ ...command, sessionId: randomUUID() }, audit);
      return { make, refused: make, targets: ['session', device('d1')] };
    },
    borrow: async () => {
      const { command } = await borrowing();
      return {
        make: (audit) => world.store.borrow(command, audit),
        refused: (audit) => world.store.borrow({ ...command, sessionId: randomUUID() }, audit),
        targets: [session(command.sessionId), device('d1')],
      };
    },
    nextTurn: async () => {
      const { command, processId, filter } = await borrowing();
      const other = await world.startSession(await world.account(), 'd1');
      expect(await world.store.borrow(command)).toEqual({ state: 'waiting' });
      await world.store.end({ sessionId: other.id, reason: 'client' });
      await world.report([{ id: 'd1', cleanEpoch: other.epoch }]);
      const make = (audit: AuditEvent) =>
        world.store.nextTurn({ processId, filter }, (sessionId) =>
          sessionId === command.sessionId ? audit : undefined,
        );
      return { make, refused: make, targets: [session(command.sessionId), device('d1')] };
    },
    end: async () => {
      const { id } = (await newSession()).session;
      const make = (audit: AuditEvent) => world.store.end({ sessionId: id, reason: 'client' }, audit);
      return { make, refused: make, targets: [session(id), device('d1')] };
    },
    extend: async () => {
      const { id } = (await newSession()).session;
      const extend = (maxMinutes: number) => (audit: AuditEvent) =>
        world.store.extend({ sessionId: id, minutes: 5, maxMinutes }, audit);
      return { make: extend(100), refused: extend(1), targets: [session(id), device('d1')] };
    },
    requestApp: async () => {
      const { account, session: row } = await newSession();
      await world.bringUp(row);
      const appId = await world.app(account);
      const request = (app: string) => (audit: AuditEvent) =>
        world.store.requestApp(
          { sessionId: row.id, accountId: account.accountId, appId: app, idempotency: null },
          audit,
        );
      return { make: request(appId), refused: request('none'), targets: [session(row.id), device('d1')] };
    },
    createApp: async () => {
      const { accountId, keyId } = await world.account();
      const app = appOf(accountId, 'sha');
      const make = (audit: AuditEvent) =>
        world.store.createApp({ keyId, app, maxApps: 1, idempotency: null }, audit);
      return { make, refused: make, targets: [{ kind: 'app', id: app.id }] };
    },
    deleteApp: async () => {
      const account = await world.account();
      const appId = await world.app(account);
      const make = (audit: AuditEvent) => world.store.deleteApp(appId, account.accountId, audit);
      return { make, refused: make, targets: [{ kind: 'app', id: appId }] };
    },
    deleteArtifact: async () => {
      const { accountId, keyId } = await world.account();
      await world.report([{ id: 'd1' }]);
      const row = await world.startSession({ accountId, keyId, name: '', hash: '' }, 'd1', { record: true });
      const artifactId = await storedArtifact(world.store, row);
      const remove = (audit: AuditEvent) =>
        world.store.deleteArtifact({ artifactId, sessionId: row.id, accountId }, audit);
      return {
        make: remove,
        refused: remove,
        targets: [{ kind: 'artifact', id: artifactId }, session(row.id)],
      };
    },
    createKey: async () => {
      const { accountId } = await world.account();
      const key = { accountId, name: 'ci', role: 'user' as const, prefix: 'pb_2', validForMs: null };
      const make = (audit: AuditEvent) =>
        world.store.createKey(
          {
            createdWith: null,
            key: { ...key, hash: randomUUID(), creator: null },
            ...{ by: accountId, maxKeys: 2, idempotency: null },
          },
          audit,
        );
      return { make, refused: make, targets: ['key'] };
    },
    revokeKey: async () => {
      const { keyId } = await world.account();
      const make = (audit: AuditEvent) => world.store.revokeKey(keyId, audit);
      return { make, refused: make, targets: [{ kind: 'key', id: keyId }] };
    },
    createAccount: async () => {
      const account = { name: 'new', quotaMinutes: null, maxSessions: null };
      const make = (audit: AuditEvent) =>
        world.store.createAccount({ account, by: null, idempotency: null }, audit);
      return { make, refused: make, targets: ['account'] };
    },
    updateAccount: async () => {
      const { accountId } = await world.account();
      const change = (id: string) => (audit: AuditEvent) =>
        world.store.updateAccount({ accountId: id, disabled: true }, audit);
      return {
        make: change(accountId),
        refused: change('none'),
        targets: [{ kind: 'account', id: accountId }],
      };
    },
    updateDevice: async () => {
      await world.report([{ id: 'd1' }]);
      const { groupId, target } = await group();
      const change = (deviceId: string) => (audit: AuditEvent) =>
        world.store.updateDevice({ deviceId, groupId }, audit);
      return { make: change('d1'), refused: change('none'), targets: [device('d1'), target] };
    },
    deleteDevice: async () => {
      await world.report([{ id: 'd1' }]);
      await world.report([]);
      const make = (audit: AuditEvent) => world.store.deleteDevice('d1', audit);
      return { make, refused: make, targets: [device('d1')] };
    },
    createGroup: async () => {
      const make = (audit: AuditEvent) =>
        world.store.createGroup({ group: { name: 'g', accountIds: [] }, by: null, idempotency: null }, audit);
      return { make, refused: make, targets: ['group'] };
    },
    updateGroup: async () => {
      const { groupId, target } = await group();
      const change = (id: string) => (audit: AuditEvent) =>
        world.store.updateGroup({ groupId: id, name: 'other' }, audit);
      return { make: change(groupId), refused: change('none'), targets: [target] };
    },
    deleteGroup: async () => {
      const { groupId, target } = await group();
      const make = (audit: AuditEvent) => world.store.deleteGroup(groupId, audit);
      return { make, refused: make, targets: [target] };
    },
    updateUser: async () => {
      const { userId } = await user();
      const change = (id: string) => (audit: AuditEvent) =>
        world.store.updateUser({ userId: id, disabled: true }, audit);
      return { make: change(userId), refused: change('none'), targets: [{ kind: 'user', id: userId }] };
    },
    claimKey: async () => {
      const { userId, claim } = await user();
      const make = (audit: AuditEvent) => world.store.claimKey(claim, audit);
      return { make, refused: make, targets: [{ kind: 'user', id: userId }, 'key'] };
    },
    openBrowserSession: async () => {
      const { keyId } = await world.account();
      const session = { hash: randomUUID(), prefix: 'pb_3', validForMs: MINUTE };
      const open = (id: string) => (audit: AuditEvent) =>
        world.store.openBrowserSession({ keyId: id, session, maxSessions: 2 }, audit);
      return { make: open(keyId), refused: open('none'), targets: ['key'] };
    },
    endSignIn: async () => {
      const key = (await world.store.claimKey((await user()).claim))!;
      const end = (id: string) => (audit: AuditEvent) => world.store.endSignIn(id, audit);
      return { make: end(key.id), refused: end('none'), targets: [{ kind: 'key', id: key.id }] };
    },
    createHost: async () => {
      const make = (audit: AuditEvent) => world.store.createHost({ name: 'shelf', publicKey: 'UA' }, audit);
      return { make, refused: make, targets: ['host'] };
    },
    revokeHost: async () => {
      await world.report([{ id: 'd1' }]);
      const make = (audit: AuditEvent) => world.store.revokeHost('host-1', audit);
      return { make, refused: make, targets: [{ kind: 'host', id: 'host-1' }] };
    },
    rotateSecrets: async () => {
      await world.store.ensureSecret('sockets');
      return { make: (audit) => world.store.rotateSecrets(['sockets'], audit), targets: [] };
    },
    createWebhook: async () => {
      const { command } = await webhook();
      const make = (audit: AuditEvent) => world.store.createWebhook(command('https://example.com/'), audit);
      return { make, refused: make, targets: ['webhook'] };
    },
    updateWebhook: async () => {
      const { accountId, webhookId, target } = await ownWebhook();
      const change = (id: string) => (audit: AuditEvent) =>
        world.store.updateWebhook({ webhookId: id, accountId, description: 'x' }, null, audit);
      return { make: change(webhookId), refused: change('none'), targets: [target] };
    },
    deleteWebhook: async () => {
      const { accountId, webhookId, target } = await ownWebhook();
      const make = (audit: AuditEvent) => world.store.deleteWebhook(webhookId, accountId, audit);
      return { make, refused: make, targets: [target] };
    },
    rotateWebhookSecret: async () => {
      const { accountId, webhookId, target } = await ownWebhook();
      const rotate = (id: string) => (audit: AuditEvent) =>
        world.store.rotateWebhookSecret(
          { webhookId: id, accountId, secret: new Uint8Array(32).fill(1), overlapMs: MINUTE },
          audit,
        );
      return { make: rotate(webhookId), refused: rotate('none'), targets: [target] };
    },
    pingWebhook: async () => {
      const { accountId, webhookId, target } = await ownWebhook();
      const make = (audit: AuditEvent) =>
        world.store.pingWebhook({ webhookId, accountId, maxPending: 1 }, audit);
      return { make, refused: make, targets: [target] };
    },
    resendDelivery: async () => {
      const { accountId, webhookId, target } = await ownWebhook();
      const ping = await world.store.pingWebhook({ webhookId, accountId, maxPending: 1 });
      if (!ping || typeof ping === 'string') throw new Error('the webhook was not tested');
      const resend = (deliveryId: string) => (audit: AuditEvent) =>
        world.store.resendDelivery({ webhookId, accountId, deliveryId, maxPending: 5 }, audit);
      return { make: resend(ping.id), refused: resend('none'), targets: [target] };
    },
  };
}
