import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { NatsBus } from '../../src/bus/nats.ts';
import { randomToken } from '../../src/bus/nats-subjects.ts';
import { natsUsers } from '../../src/bus/nats-users.ts';
import { newNkey } from '../../src/bus/nkey.ts';
import { issueAuthority, issueServer } from '../../src/server/issue-certificates.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import { startNats, type TestNats } from '../fixtures/nats.ts';
import { connectBus, roundTrip } from './nats-rig.ts';
import { artifact, changed, dial, kindOf, report } from './samples.ts';

/** The configuration that is shipped. The tests use it with two hosts. */
const CONFIG = join(import.meta.dirname, '../../deploy/nats/nats-server.conf');
const within = { timeout: 60_000, interval: 20 };
const keys = { control: newNkey(), h1: newNkey(), h2: newNkey() };
const hosts = (['h1', 'h2'] as const).map((hostId) => ({ hostId, publicNkey: keys[hostId].publicKey }));
const usersFile = (some = hosts) => natsUsers({ controlPlane: keys.control.publicKey, hosts: some });

let server: TestNats;
let opened: AsyncDisposableStack;

beforeAll(async () => {
  server = await startNats(await readFile(CONFIG, 'utf8'), async (folder) => {
    const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const authority = await issueAuthority('test', validity);
    const names = ['127.0.0.1'];
    const issued = await issueServer({ commonName: 'nats', names, authority, ...validity });
    const other = await issueAuthority('another', validity);
    await mkdir(join(folder, 'tls'));
    const files = {
      'tls/server.pem': issued.certificate.toString(),
      'tls/server-key.pem': issued.key.export({ type: 'pkcs8', format: 'pem' }),
      'ca.pem': authority.certificate.toString(),
      'other-ca.pem': other.certificate.toString(),
      'hosts.conf': usersFile(),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  opened = new AsyncDisposableStack();
});
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});
afterAll(() => server[Symbol.asyncDispose]());

const ca = () => join(server.folder, 'ca.pem');
const secure = () => ({ url: `tls://127.0.0.1:${server.port}` });

async function enter(
  who: keyof typeof keys,
  options: { nkeySeed?: string; caFile?: string; log?: Log } = {},
): Promise<NatsBus> {
  const hostId = who === 'control' ? null : who;
  const more = { hostId, nkeySeed: keys[who].seed, caFile: ca(), ...options };
  return opened.use(await connectBus(secure(), { ...more, connectTimeoutMs: 60_000 }));
}

/** Connects a host that does not use Phonebooth's client: a raw connection with the host's own credential. */
async function raw(who: 'h1' | 'h2'): Promise<{ nats: NatsConnection; complaints: string[] }> {
  const nats = await connect({
    servers: `127.0.0.1:${server.port}`,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(keys[who].seed)),
    tls: { caFile: ca(), ...{ checkServerIdentity: () => undefined } },
  });
  opened.defer(() => nats.close());
  const complaints: string[] = [];
  void (async () => {
    for await (const status of nats.status())
      if (status.type === 'error') complaints.push(status.error.message);
  })();
  return { nats, complaints };
}

describe('with the shipped configuration', () => {
  test('a host and the control plane can exchange messages', async () => {
    const [control, host] = [await enter('control'), await enter('h1')];
    control.serve('control-plane.report', ANY_ADDRESS, async (_report, hostId) => {
      expect(hostId).toBe('h1');
      return { orders: [] };
    });
    host.serve('host.dial', 'h1', async () => ({}));
    await roundTrip(control);
    const deadline = { timeoutMs: 60_000 };
    await vi.waitFor(() => control.request('host.dial', 'h1', dial('s'), deadline), within);
    await expect(host.request('control-plane.report', 'h1', report(), deadline)).resolves.toEqual({
      orders: [],
    });
    const lease = { sessionId: 's', epoch: 1 };
    control.serve('control-plane.artifact', ANY_ADDRESS, async ({ artifact }, hostId) => ({
      refused: `${artifact.name} of ${hostId}`,
    }));
    control.serve('control-plane.recorded', ANY_ADDRESS, async () => ({}));
    await roundTrip(control);
    await expect(
      host.request('control-plane.artifact', 'h1', { ...lease, artifact }, deadline),
    ).resolves.toEqual({ refused: 'video-1.mp4 of h1' });
    await host.request('control-plane.recorded', 'h1', { ...lease, detail: null }, deadline);
    const got: string[] = [];
    control.subscribe('session.changed', ({ sessionId }) => got.push(sessionId));
    control.publish('session.changed', changed('s'));
    await vi.waitFor(() => expect(got).toEqual(['s']), within);
  });

  test('a host can impersonate neither another host nor the control plane, and gets a permission error', async () => {
    const [control, host] = [await enter('control'), await enter('h1')];
    const taken: string[] = [];
    control.serve('control-plane.report', ANY_ADDRESS, async (_report, hostId) => {
      taken.push(hostId);
      return { orders: [] };
    });
    control.subscribe('session.changed', ({ sessionId }) => taken.push(sessionId));
    await roundTrip(control);
    const deadline = { timeoutMs: 60_000 };
    await expect(host.request('control-plane.report', 'h2', report(), deadline)).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(
        /^this process is not allowed to send phonebooth\.from\.h2\.report; update .* nats-config$/,
      ),
    });
    expect(await kindOf(host.request('host.orders', 'h2', { orders: [] }, deadline))).toBe('failed');
    const lease = { sessionId: 's', epoch: 1 };
    for (const kind of [
      kindOf(host.request('control-plane.artifact', 'h2', { ...lease, artifact }, deadline)),
      kindOf(host.request('control-plane.recorded', 'h2', { ...lease, detail: null }, deadline)),
    ])
      expect(await kind).toBe('failed');
    host.publish('session.changed', changed('made up'));
    await host.request('control-plane.report', 'h1', report(), deadline);
    expect(taken).toEqual(['h1']);
  });

  test('a host can receive neither the orders and answers of other hosts nor fleet-wide messages', async () => {
    const { nats, complaints } = await raw('h1');
    const subjects = [
      'phonebooth.to.h2.orders',
      'phonebooth.to.*.dial',
      'phonebooth.from.h2.report',
      'phonebooth.told.session.changed',
      'phonebooth.told.>',
      'phonebooth.inbox.host.h2.>',
      'phonebooth.inbox.control.>',
      '_INBOX.>',
      '>',
    ];
    for (const subject of subjects) nats.subscribe(subject, { callback: () => {} });
    await vi.waitFor(() => expect(complaints).toHaveLength(subjects.length), within);
    for (const [index, subject] of subjects.entries()) {
      expect(complaints[index]).toBe(`Permissions Violation for Subscription to "${subject}"`);
    }
  });

  test('a host cannot redirect the control plane’s answers to a subject that it must not publish to', async () => {
    const [control, victim] = [await enter('control'), await enter('h2')];
    const served: string[] = [];
    control.serve('control-plane.report', ANY_ADDRESS, async ({ hostName }) => {
      served.push(hostName);
      return { orders: [] };
    });
    let ordered = 0;
    victim.serve('host.orders', 'h2', async () => {
      ordered += 1;
      return {};
    });
    await roundTrip(control);
    const { nats } = await raw('h1');
    for (const reply of [
      'phonebooth.to.h2.orders',
      'phonebooth.told.session.changed',
      `phonebooth.inbox.host.h2.${randomToken()}.${randomToken()}`,
      `phonebooth.inbox.control.${randomToken()}.${randomToken()}`,
      'phonebooth.inbox.host.h1.>',
    ]) {
      nats.publish('phonebooth.from.h1.report', JSON.stringify(report('sly')), { reply });
    }
    nats.publish('phonebooth.from.h1.report', JSON.stringify(report('without an inbox')));
    await vi.waitFor(() => expect(control.counts.refused).toBe(6), within);
    expect({ served, ordered, victim: victim.counts }).toMatchObject({
      served: [],
      ordered: 0,
      victim: { refused: 0 },
    });
  });

  test.each([
    ['malformed JSON', '{'],
    ['not UTF-8', new Uint8Array([0xff, 0x22])],
    ['nothing', ''],
    ['another message shape', JSON.stringify({ hostName: 1, complete: true, phones: [] })],
    ['a phone without a description', JSON.stringify({ ...report(), phones: [{ usable: true }] })],
    ['null', 'null'],
  ])('answers and counts %s from a host as an error and serves its next report', async (_what, payload) => {
    const control = await enter('control');
    control.serve('control-plane.report', ANY_ADDRESS, async () => ({ orders: [] }));
    await roundTrip(control);
    const { nats } = await raw('h1');
    const ask = async (data: string | Uint8Array) => {
      const reply = `phonebooth.inbox.host.h1.${randomToken()}.${randomToken()}`;
      return (
        await nats.request('phonebooth.from.h1.report', data, { timeout: 60_000, noMux: true, reply })
      ).string();
    };
    expect(await ask(payload)).toBe('{"error":"the message is not a valid control-plane.report"}');
    expect(control.counts.refused).toBe(1);
    expect(await ask(JSON.stringify(report()))).toBe('{"answer":{"orders":[]}}');
  });

  test('a host can neither answer nor corrupt requests to another host, whatever it publishes', async () => {
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (fields: object) => errors.push(fields) };
    const [control, victim] = [await enter('control', { log }), await enter('h2')];
    control.serve('control-plane.report', ANY_ADDRESS, async () => ({ orders: [] }));
    victim.serve('host.dial', 'h2', async ({ sessionId }) => {
      // Long enough for everything that the attacker publishes to arrive before the response.
      await roundTrip(control);
      return { refused: `${sessionId} from h2` };
    });
    await roundTrip(control);
    await victim.request('control-plane.report', 'h2', report(), { timeoutMs: 60_000 });
    const { nats, complaints } = await raw('h1');
    const replies: string[] = [];
    nats.subscribe('phonebooth.to.h1.*', {
      callback: (_error, question) => {
        replies.push(question.reply!);
        for (let n = 0; n < 3; n++) question.respond('{"answer":{"refused":"made up"}}');
      },
    });
    await nats.flush();
    const deadline = { timeoutMs: 60_000 };
    const garble = () => {
      const inbox = replies.at(-1)!.split('.').slice(0, -1).join('.');
      const last = Number.parseInt(replies.at(-1)!.split('.').at(-1)!, 36);
      // Guesses built from the known inbox and the tokens that a counter would issue next.
      const guesses = Array.from({ length: 50 }, (_, n) => `${inbox}.${(last + n + 1).toString(36)}`);
      for (const reply of [...guesses, ...replies, `${inbox}.*`, `${inbox}.>`]) {
        nats.publish(reply, '{"answer":{"refused":"made up"}}');
        nats.publish('phonebooth.from.h1.report', JSON.stringify(report()), { reply });
        nats.publish('phonebooth.from.h1.dial', '{"answer":{"refused":"made up"}}', { reply });
      }
      // The same reply subject twice: the control plane can respond to it only once.
      const own = `phonebooth.inbox.host.h1.${randomToken()}.${randomToken()}`;
      for (let n = 0; n < 20; n++)
        nats.publish('phonebooth.from.h1.report', JSON.stringify(report()), { reply: own });
    };
    for (let n = 0; n < 10; n++) {
      await control.request('host.dial', 'h1', dial('s'), deadline);
      const asked = control.request('host.dial', 'h2', dial(`s${n}`), deadline);
      garble();
      expect(await asked).toEqual({ refused: `s${n} from h2` });
    }
    await vi.waitFor(() => expect(complaints.length).toBeGreaterThan(100), within);
    expect(errors.length).toBeLessThan(3);
  });

  test('validates the answers of a host too', async () => {
    const control = await enter('control');
    const { nats } = await raw('h1');
    const answers = ['nonsense', '{"answer":7}', '{}', ''];
    nats.subscribe('phonebooth.to.h1.dial', {
      callback: (_error, question) => {
        question.respond(answers.shift());
      },
    });
    await nats.flush();
    for (let n = 0; n < 4; n++) {
      await expect(
        control.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }),
      ).rejects.toMatchObject({
        kind: 'failed',
        message: 'the reply to host.dial has an unexpected format',
      });
    }
  });

  test('rejects an unknown credential with a one-line error that contains no secret', async () => {
    const { seed } = newNkey();
    const refused = {
      kind: 'failed',
      message: `tls://127.0.0.1:${server.port}: the NATS server rejected the credential of this process; update its configuration with phonebooth hosts nats-config`,
    };
    await expect(enter('h1', { nkeySeed: seed })).rejects.toMatchObject(refused);
    await expect(enter('h1', { nkeySeed: undefined })).rejects.toMatchObject(refused);
    await expect(enter('h1', { nkeySeed: 'SUnonsense' })).rejects.toMatchObject({
      kind: 'failed',
      message: 'the credential is not a NATS user seed (SU…)',
    });
  });

  test('rejects a server whose certificate is signed by another authority, and a server without TLS', async () => {
    await expect(enter('h1', { caFile: join(server.folder, 'other-ca.pem') })).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^tls:\/\/127\.0\.0\.1:\d+: .*certificate/),
    });
    const url = `tls://localhost:${server.port}`;
    await expect(connectBus({ url }, { caFile: ca(), nkeySeed: keys.control.seed })).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('does not match'),
    });
    await using plain = await startNats();
    const there = { url: `tls://127.0.0.1:${plain.port}` };
    await expect(connectBus(there, { caFile: ca() })).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining("does not support 'tls'"),
    });
  });

  test('disconnects a revoked host on the next reload and admits it again when it is restored', async () => {
    const [control, host] = [await enter('control'), await enter('h1')];
    host.serve('host.dial', 'h1', async () => ({}));
    const ask = () => kindOf(control.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }));
    await vi.waitFor(async () => expect(await ask()).toBe('answered'), within);
    await writeFile(
      join(server.folder, 'hosts.conf'),
      usersFile(hosts.filter(({ hostId }) => hostId !== 'h1')),
    );
    await server.reload();
    await vi.waitFor(async () => expect(await ask()).toBe('no-responder'), within);
    expect(await kindOf(host.request('control-plane.report', 'h1', report(), { timeoutMs: 60_000 }))).toBe(
      'unreachable',
    );
    await delay(300);
    expect(await ask()).toBe('no-responder');
    await writeFile(join(server.folder, 'hosts.conf'), usersFile());
    await server.reload();
    await vi.waitFor(async () => expect(await ask()).toBe('answered'), within);
  });
});

test('uses a server without authentication and logs a warning', async () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => warnings.push(message) };
  await using open = await startNats();
  await using bus = await NatsBus.connect({
    url: open.url,
    nkeySeed: newNkey().seed,
    hostId: null,
    name: 'test',
    log,
  });
  expect(bus.counts.refused).toBe(0);
  expect(warnings).toEqual([expect.stringContaining('accepts clients without authentication')]);
});

test('the file of users contains only public keys and ids', () => {
  const controlPlane = keys.control.publicKey;
  const one = (hostId: string, publicNkey: string) => () =>
    natsUsers({ controlPlane, hosts: [{ hostId, publicNkey }] });
  expect(one('h1', keys.h1.seed)).toThrow('the key of host h1 is not a public user nkey');
  expect(one('h1\n{', keys.h1.publicKey)).toThrow('not a valid address');
  expect(one('>', keys.h1.publicKey)).toThrow('not a valid address');
});
