import { request as send } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOT_SERVED } from '../../src/bus/messages.ts';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Role } from '../../src/contract/http/key.ts';
import { Description } from '../black-box/kit/description.ts';
import type { HttpAnswer } from '../black-box/kit/http.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { isNightly } from '../nightly.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';
import { type FuzzRequest, requestOf } from './kit/arbitrary-requests.ts';

const REQUESTS = isNightly ? 10_000 : 800;
const ANSWER_DEADLINE_MS = 60_000;
const PHONES = 12;

let rig: ApiRig;
let description: Description;
let keys: Record<FuzzRequest['caller'], string | null>;
/** Identifiers that responses contained, newest last. */
const ids: string[] = [];
/** Prefix of the identifiers that fit each path parameter. */
const KINDS: Record<string, RegExp> = {
  device_id: /^phone-/,
  session_id: /^ses_/,
  key_id: /^key_/,
  account_id: /^acc_/,
  app_id: /^app_/,
  webhook_id: /^hook_/,
  delivery_id: /^msg_/,
  host_id: /^host-/,
  user_id: /^user_/,
  group_id: /^grp_/,
  link_id: /^watch_/,
  artifact_id: /^art_/,
};

describe.each([
  ['the embedded store', async () => undefined],
  ['PostgreSQL', () => sharedPostgres.createDatabase()],
] as [string, () => Promise<string | undefined>][])('on %s', (_, createDatabase) => {
  beforeAll(async () => start(await createDatabase()));
  afterAll(() => rig?.[Symbol.asyncDispose]());

  test(`answers none of ${REQUESTS} random requests with 5xx or an undocumented response`, {
    timeout: 240_000,
  }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requestOf(rig.openapi), async (request) => {
        const path = pathOf(request);
        const answer = await ask(request, path);
        seen.add(`${request.method} ${request.template} ${answer.status}`);
        if (answer.status >= 500)
          throw new Error(`${request.method} ${path} answered ${answer.status}: ${answer.bytes}`);
        description.check(request.method, path, answer);
        remember(answer);
        if (answer.status === 401 && isRole(request.caller)) await renew(request.caller);
      }),
      // A failing request is reported without shrinking: the failure also depends on the service's state at that
      // moment, and shrinking would change that state.
      { numRuns: REQUESTS, endOnFailure: true, verbose: 1 },
    );
    // The run is only meaningful if requests get past authentication. How many operations succeed depends on the random
    // requests: about 38 of the 59, and next to none if the keys are rejected.
    const succeeded = [...seen].filter((line) => / 20[0-4]$/.test(line));
    const operations = Object.values(rig.openapi.paths).flatMap(Object.keys).length;
    expect(succeeded.length, succeeded.join('\n')).toBeGreaterThan(operations / 3);
  });
});

async function start(databaseUrl?: string): Promise<void> {
  ids.length = 0;
  rig = await startApiRig({ databaseUrl });
  description = new Description(rig.openapi);
  keys = { admin: null, user: null, viewer: null, unknown: 'pb_unknown', anonymous: null };
  for (const role of ['admin', 'user', 'viewer'] as const) await renew(role);
  const phones = Array.from({ length: PHONES }, (_, n) => ({ id: `phone-${n}` }));
  await rig.report(...phones);
  // A host that serves no session. Without one, requests to a phone are answered with 503.
  const serveNothing = () => Promise.reject(new Error(NOT_SERVED));
  rig.context.bus.serve('host.dial', 'host-1', serveNothing);
  rig.context.bus.serve('host.call', 'host-1', serveNothing);
  ids.push(...phones.map(({ id }) => id), 'host-1');
  const admitted = await rig.store.admitUser({
    identity: { issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: null },
    access: { account: { name: 'qa', quotaMinutes: null, maxSessions: null }, role: 'user' },
    ticket: { hash: 'unused', validForMs: 0 },
  });
  ids.push(admitted.user!.id);
  for (const key of [keys.admin!, keys.user!]) {
    const client = new PhoneboothClient({ baseUrl: rig.baseUrl, key });
    const webhook = await client.webhooks.create({ url: 'https://hooks.example.com/phones' });
    ids.push(webhook.id, (await client.webhooks.test(webhook.id)).id);
  }
}

const isRole = (caller: FuzzRequest['caller']): caller is Role =>
  ['admin', 'user', 'viewer'].includes(caller);

/** Replaces the role's key. Sooner or later, each caller revokes its own key or disables its own account. */
async function renew(role: Role): Promise<void> {
  keys[role] = (await rig.key(undefined, role)).key;
}

function pathOf({ template, path, query }: FuzzRequest): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]!;
    const fitting = ids.filter((id) => KINDS[name]!.test(id));
    // One identifier in ten belongs to a resource of another kind.
    const among = fitting.length === 0 || Number(value) % 10 === 9 ? ids : fitting;
    return encoded(typeof value === 'number' ? among.at(-1 - (value % among.length))! : value);
  });
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

/** An unpaired surrogate cannot be encoded, so UTF-8's replacement character takes its place. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** Sends the request over a keep-alive connection, because thousands of new connections would exhaust the ports. */
function ask({ method, headers, body, caller }: FuzzRequest, path: string): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const key = keys[caller];
  const request = send(`${rig.baseUrl}${path}`, {
    method,
    timeout: ANSWER_DEADLINE_MS,
    headers: {
      ...headers,
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...(body !== null && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    },
  });
  request.on('response', async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) });
  });
  request.on('timeout', () => request.destroy(new Error(`timed out: ${method} ${path}`)));
  request.on('error', reject);
  request.end(body);
  return promise;
}

function remember({ status, bytes, headers }: HttpAnswer): void {
  if (status !== 200 || !headers['content-type']?.startsWith('application/json')) return;
  for (const [, id] of bytes
    .toString('utf8')
    .matchAll(/"(?:session_|device_|webhook_|app_)?id":"([^"]+)"/g)) {
    if (!ids.includes(id!)) ids.push(id!);
  }
  ids.splice(0, ids.length - 200);
}
