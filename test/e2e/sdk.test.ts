import { afterAll, beforeAll, expect, test } from 'vitest';
import { Phonebooth, type PhoneSession, SessionEndedError } from '../../src/client/index.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';

let service: Service;
let phones: Phonebooth;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
  const free = async () => (await phones.api.listDevices({ status: 'available' })).total;
  await until('two free phones', async () => (await free()) === 2, { deadlineMs: 60_000 });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function anyPhone(): Promise<string> {
  const { items } = await phones.api.listDevices({ status: 'available' });
  return items[0]!.id;
}

/** Pictures of one session, from the first packet to the one that fits. */
async function frameThat(session: PhoneSession, fits: (type: string, index: number) => boolean) {
  const types: string[] = [];
  for await (const { type } of session.frames()) {
    types.push(type);
    if (fits(type, types.length)) break;
  }
  return types;
}

test('a phone is borrowed, watched, controlled and given back at the end of the block', async () => {
  let id = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    id = session.id;
    await session.ready;
    expect(session.capabilities).toContain('tap');
    expect((await frameThat(session, (type) => type === 'keyframe')).slice(0, 3)).toEqual([
      'session',
      'config',
      'keyframe',
    ]);
    await session.tap(0.5, 0.5);
    await session.key('HOME');
    await session.setClipboard('from the SDK');
    expect(await session.clipboard()).toBe('from the SDK');
    expect(Buffer.from(await session.screenshot()).toString('latin1', 1, 4)).toBe('PNG');
    expect((await session.apps()).length).toBeGreaterThan(0);
    const before = session.expiresAt;
    await session.extend(5);
    expect(Date.parse(session.expiresAt) - Date.parse(before)).toBe(300_000);
  }
  expect(await phones.api.getSession(id)).toMatchObject({ status: 'disconnected', end_reason: 'client' });
});

test('what the phone refuses is an error that says why, and the session goes on', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  await expect(session.key('NO_SUCH_KEY')).rejects.toMatchObject({ name: 'ControlError', code: -32002 });
  await session.key('HOME');
});

test('the end of a session ends its pictures and fails its commands with the reason', async () => {
  const session = await phones.connect(await anyPhone(), { duration: 5 });
  await session.ready;
  const watching = frameThat(session, () => false);
  await phones.api.disconnect(session.id);
  expect(await session.ended).toMatchObject({ name: 'SessionEndedError', reason: 'client' });
  await watching;
  await expect(session.tap(0.5, 0.5)).rejects.toBeInstanceOf(SessionEndedError);
  await session[Symbol.asyncDispose]();
});

test('a reader’s signal ends its pictures and nothing else', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { type } of session.frames({ signal: stop.signal })) {
    seen.push(type);
    stop.abort();
  }
  expect(seen).toEqual(['session']);
  await session.key('HOME');
});

test('a restart of the service is lived through: pictures and commands go on', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 10 });
  await session.ready;
  const frames = session.frames();
  for await (const { type } of session.frames()) if (type === 'keyframe') break;
  await frames.next();
  await service.kill9();
  const command = session.key('HOME');
  await service.restart();
  await command;
  let keyframes = 0;
  for await (const { type } of frames) if (type === 'keyframe' && ++keyframes === 2) break;
  expect(keyframes).toBe(2);
});

test('a phone that is taken is an error with the contract’s code', async () => {
  const id = await anyPhone();
  await using _session = await phones.connect(id, { duration: 5 });
  await expect(phones.connect(id)).rejects.toMatchObject({ code: 40010, data: { reason: 'in_use' } });
});

test('without a WebSocket it says what to pass', () => {
  const { WebSocket } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'WebSocket');
    expect(() => new Phonebooth({ url: service.httpOrigin, key: service.key })).toThrow('webSocket');
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});
