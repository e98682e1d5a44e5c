import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Operation } from '../../src/contract/http/operation.ts';
import { operations } from '../../src/contract/http/operations.ts';
import { until } from '../black-box/kit/wait.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';
import { Listener } from './listeners.ts';

const HIDDEN = 'd-hidden';
const OPEN = 'd-open';

/** Starts a service with a phone that is visible to all accounts, an operator, an insider and an outsider. */
async function startShelf() {
  const rig = await startApiRig({
    tail: { pollMs: 20 },
    waiting: { pollMs: 20 },
    webhooks: { mayBePrivate: true, pollMs: 20 },
  });
  const [operator, insider, outsider] = [
    await rig.key('operators', 'admin'),
    await rig.key('insiders'),
    await rig.key('outsiders'),
  ];
  const clientOf = ({ key }: { key: string }) => new PhoneboothClient({ baseUrl: rig.baseUrl, key });
  await rig.report({ id: OPEN });
  return {
    ...{ rig, insider, outsider },
    admin: clientOf(operator).admin,
    operatorClient: clientOf(operator),
    insiderClient: clientOf(insider),
    outsiderClient: clientOf(outsider),
  };
}
type Shelf = Awaited<ReturnType<typeof startShelf>>;

/** Adds a phone that is visible to the insider only and that no other account has ever seen. */
async function hide({ rig, admin, insider }: Shelf) {
  const group = await admin.createGroup({ name: 'insiders', accounts: [insider.accountId] });
  await rig.report({ id: HIDDEN, model: 'M-hidden', usable: false });
  await admin.updateDevice(HIDDEN, { group_id: group.id });
  await rig.report({ id: HIDDEN, model: 'M-hidden' });
  return group;
}

/** Parts of responses that differ between two services that received the same requests. */
const VARYING =
  /(?<=\/(stream|control|adb)\/)[\w.-]+|\b(ses|key|hook|msg|acc|app|req|pb|whsec)_[\w+/=-]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

async function ask(rig: ApiRig, key: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${rig.baseUrl}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: (await answer.text()).replaceAll(VARYING, '…') };
}

describe('for an account, a phone that is not visible does not exist', () => {
  /** Two services in the same state, except that one of them has a hidden phone. */
  let having: Shelf;
  let lacking: Shelf;
  beforeAll(async () => {
    [having, lacking] = [await startShelf(), await startShelf()];
    await hide(having);
    await having.insiderClient.connect(HIDDEN, { duration: 5 });
  });
  afterAll(async () => {
    await having?.rig[Symbol.asyncDispose]();
    await lacking?.rig[Symbol.asyncDispose]();
  });

  const expectSame = async (method: string, path: string, body?: unknown) => {
    const response = await ask(having.rig, having.outsider.key, method, path, body);
    expect(response).toEqual(await ask(lacking.rig, lacking.outsider.key, method, path, body));
    return response;
  };

  /** All operations except those for operators only and the endless event stream, which a test below covers. */
  const CALLS = Object.entries(operations({ maxDurationMinutes: 480 }) as Record<string, Operation>)
    .filter(([id, { access }]) => access !== 'admin' && id !== 'events.listen')
    .map(([id, { method, path }]) => ({ id, method, path }));

  test.each(CALLS)('$id', async ({ method, path }) => {
    const filled = path.replace('{device_id}', HIDDEN).replaceAll(/\{\w+\}/g, 'unknown');
    const { status, text } = await expectSame(method, filled, method === 'GET' ? undefined : {});
    expect(status).toBeLessThan(500);
    if (path.includes('{device_id}')) {
      expect(status).toBe(404);
      const message = `device "${HIDDEN}" does not exist, or this account cannot see it; list the devices for valid ids`;
      expect(JSON.parse(text)).toEqual({ code: 40004, message, data: {} });
    } else expect(text).not.toContain(HIDDEN);
  });

  test.each([
    'brand=google',
    'os_version=14',
    'status=busy',
    'status=available&brand=google&os_version=14',
    'page=2&page_size=1',
  ])('GET /devices?%s', async (query) => {
    expect((await expectSame('GET', `/devices?${query}`)).status).toBe(200);
  });

  test.each([
    { model: 'M-hidden' },
    { model: 'M-hidden', wait: 1 },
    { duration: 480, app_id: 'app_none', model: 'M-hidden' },
  ])('POST /sessions %j', async (body) => {
    expect((await expectSame('POST', '/sessions', body)).status).toBe(404);
  });

  test('POST /sessions, when all visible phones are in use', async () => {
    // One of the calls above may already have connected to it
    const connects = [having, lacking].map(({ insiderClient }) => insiderClient.connect(OPEN));
    await Promise.allSettled(connects);
    const { status, text } = await expectSame('POST', '/sessions', {});
    expect(status).toBe(409);
    expect(JSON.parse(text).data).toMatchObject({ matching: 1, ahead: 0 });
  });

  test('GET /sessions?device_id=', async () => {
    expect(JSON.parse((await expectSame('GET', `/sessions?device_id=${HIDDEN}`)).text).data.total).toBe(0);
  });

  test('an operator’s key borrows with the visibility of its account, and lists all phones under /admin', async () => {
    const { operatorClient, admin } = having;
    await expect(operatorClient.getDevice(HIDDEN)).rejects.toMatchObject({ code: 40004 });
    await expect(operatorClient.connect(HIDDEN)).rejects.toMatchObject({ code: 40004 });
    expect((await operatorClient.listDevices()).total).toBe(1);
    expect((await admin.listDevices()).items.map(({ id, group }) => [id, group?.name])).toEqual([
      [HIDDEN, 'insiders'],
      [OPEN, undefined],
    ]);
  });
});

describe('notifications to accounts', () => {
  let shelf: Shelf;
  beforeEach(async () => {
    shelf = await startShelf();
  });
  afterEach(() => shelf?.rig[Symbol.asyncDispose]());

  const listen = async (key: string, lastEventId?: string) => {
    const listener = await Listener.open(`${shelf.rig.baseUrl}/events`, {
      headers: { Authorization: `Bearer ${key}`, ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
    });
    await listener.until('an event id', () => listener.lastEventId);
    return listener;
  };
  const namesOf = ({ events }: Listener) => events.map(({ event, data }) => [event, data.id]);
  /** Causes an event that every account receives, after all previous changes. */
  const mark = async (name: string, ...listeners: Listener[]) => {
    await shelf.rig.report({ id: OPEN, name });
    for (const listener of listeners) await listener.event('device.changed', (data) => data.name === name);
  };

  test('are sent by GET /events for phones that are visible, become visible or become invisible', async () => {
    const { rig, admin, insider, outsider } = shelf;
    await using inside = await listen(insider.key);
    await using outside = await listen(outsider.key);
    const group = await hide(shelf);
    await rig.report({ id: HIDDEN, model: 'M-hidden', usable: false });
    await inside.event('device.removed', ({ id }) => id === HIDDEN);
    await rig.report({ id: HIDDEN, name: 'renamed', model: 'M-hidden' });
    await mark('one', inside, outside);
    expect(namesOf(outside)).toEqual([['device.changed', OPEN]]);
    expect(outside.text).not.toContain(HIDDEN);
    await inside.event('device.changed', ({ id, name }) => id === HIDDEN && name === 'renamed');

    await admin.updateDevice(HIDDEN, { group_id: null });
    expect((await outside.event('device.changed', ({ id }) => id === HIDDEN)).data).not.toHaveProperty(
      'group',
    );
    await admin.updateDevice(HIDDEN, { group_id: group.id });
    await outside.event('device.removed', ({ id }) => id === HIDDEN);
    await admin.updateDevice(HIDDEN, { name: 'again' });
    await mark('two', inside, outside);
    expect(outside.text).not.toContain('again');
    expect(namesOf(inside).filter(([event]) => event === 'device.removed')).toHaveLength(1);

    await admin.updateGroup(group.id, { accounts: [outsider.accountId] });
    await inside.event('reset');
    await outside.event('reset');
    await admin.updateDevice(HIDDEN, { name: 'theirs' });
    await outside.event('device.changed', ({ name }) => name === 'theirs');
    await mark('three', inside, outside);
    expect(inside.text).not.toContain('theirs');
  });

  test('are sent by GET /events after a reconnect', async () => {
    const { admin, outsider, insider } = shelf;
    const group = await hide(shelf);
    await admin.updateDevice(HIDDEN, { group_id: null });
    const before = await listen(outsider.key);
    const lastEventId = before.lastEventId!;
    await before[Symbol.asyncDispose]();
    await admin.updateDevice(HIDDEN, { group_id: group.id });
    await admin.updateDevice(HIDDEN, { name: 'secret' });
    await using outside = await listen(outsider.key, lastEventId);
    await using inside = await listen(insider.key, lastEventId);
    await outside.event('device.removed', ({ id }) => id === HIDDEN);
    await inside.event('device.changed', ({ name }) => name === 'secret');
    await mark('after', inside, outside);
    expect(outside.text).not.toContain('secret');
    expect(inside.text).not.toContain('removed');
  });

  test('are sent by webhooks in the same way', async () => {
    const { rig, admin, outsider } = shelf;
    await using inside = await WebhookReceiver.start();
    await using outside = await WebhookReceiver.start();
    const group = await hide(shelf);
    await shelf.insiderClient.webhooks.create({ url: inside.url });
    await shelf.outsiderClient.webhooks.create({ url: outside.url });
    const response = (receiver: WebhookReceiver, type: string, text: string) =>
      until(`a ${type} event with ${text}`, () =>
        receiver.ofType(type).find(({ body }) => body.includes(text)),
      );
    await admin.updateDevice(HIDDEN, { name: 'secret' });
    await rig.report({ id: OPEN, name: 'one' });
    await response(inside, 'device.changed', 'secret');
    await response(outside, 'device.changed', 'one');
    await admin.updateDevice(HIDDEN, { group_id: null });
    await response(outside, 'device.changed', HIDDEN);
    await admin.updateDevice(HIDDEN, { group_id: group.id, name: 'again' });
    await response(outside, 'device.removed', HIDDEN);
    await response(inside, 'device.changed', 'again');
    await admin.updateGroup(group.id, { accounts: [outsider.accountId] });
    await response(inside, 'reset', '{}');
    await response(outside, 'reset', '{}');
    const bodies = outside.received.map(({ body }) => body).join('\n');
    expect(bodies).not.toContain('again');
    expect(inside.ofType('device.removed')).toEqual([]);
  });
});

describe('/admin/groups', () => {
  let shelf: Shelf;
  beforeAll(async () => {
    shelf = await startShelf();
  });
  afterAll(() => shelf?.rig[Symbol.asyncDispose]());

  const invalid = (field: string, words: string) => ({
    code: 40000,
    data: { errors: [{ field, message: expect.stringContaining(words) }] },
  });

  test('creates, changes, lists and deletes groups, and reports invalid requests', async () => {
    const { admin, insider, outsider, rig } = shelf;
    const group = await admin.createGroup({ name: 'lab' }, { idempotencyKey: 'k' });
    expect(group).toMatchObject({ name: 'lab', accounts: [], devices: 0 });
    expect(await admin.createGroup({ name: 'lab' }, { idempotencyKey: 'k' })).toEqual(group);
    const another = admin.createGroup({ name: 'x' }, { idempotencyKey: 'k' });
    await expect(another).rejects.toMatchObject({ code: 40012 });
    await expect(admin.createGroup({ name: 'lab' })).rejects.toMatchObject(
      invalid('body.name', 'is already used by another group'),
    );
    await expect(admin.createGroup({ name: 'x', accounts: ['nobody'] })).rejects.toMatchObject(
      invalid('body.accounts', '"nobody"'),
    );
    await expect(admin.createGroup({ name: '' })).rejects.toMatchObject(invalid('body.name', ''));
    await expect(admin.updateGroup('grp_none', { name: 'x' })).rejects.toMatchObject({
      code: 40008,
      data: { kind: 'group' },
    });
    const accounts = [insider.accountId, outsider.accountId];
    expect(await admin.updateGroup(group.id, { accounts, name: 'Lab' })).toMatchObject({
      ...{ id: group.id, name: 'Lab' },
      accounts: [
        { id: insider.accountId, name: 'insiders' },
        { id: outsider.accountId, name: 'outsiders' },
      ],
    });
    await expect(admin.updateDevice(OPEN, { group_id: 'grp_none' })).rejects.toMatchObject(
      invalid('body.group_id', 'is not the identifier of a group'),
    );
    expect(await admin.updateDevice(OPEN, { group_id: group.id })).toMatchObject({
      group: { id: group.id, name: 'Lab' },
    });
    expect((await admin.listDevices({ group_id: group.id })).total).toBe(1);
    expect((await admin.listDevices({ group_id: 'none' })).total).toBe(0);
    expect((await admin.listGroups()).items).toMatchObject([{ name: 'Lab', devices: 1 }]);
    await expect(admin.deleteGroup(group.id)).rejects.toMatchObject(
      invalid('params.group_id', 'has 1 device, which would become visible to all accounts'),
    );
    await admin.updateDevice(OPEN, { group_id: null });
    await admin.deleteGroup(group.id);
    await expect(admin.deleteGroup(group.id)).rejects.toMatchObject({ code: 40008 });
    expect((await admin.listGroups()).total).toBe(0);
    const { items } = await rig.store.listAudit({ page: 1, pageSize: 50, target: group.id });
    const actions = ['create', 'update', 'delete', 'delete', 'delete'];
    expect(items.map(({ action }) => action).sort()).toEqual(
      ['admin.devices.update', ...actions.map((action) => `admin.groups.${action}`)].sort(),
    );
  });
});
