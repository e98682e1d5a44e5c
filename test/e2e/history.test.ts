import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AccountAdmin } from '../../src/operator/account-admin.ts';
import { readConfig } from '../../src/server/config.ts';
import { Api, type Page, type Session, succeeded, type Usage } from '../black-box/kit/api.ts';
import { listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { admitLightHosts, connectLightHost, LightHost, lightPhoneId } from '../fixtures/light-agents.ts';
import type { FinalAccount, Operation } from '../history/history.ts';
import { checkHistory } from '../history/history-checker.ts';
import { type AccountClient, HistoryClient } from '../history/history-clients.ts';
import { isNightly } from '../nightly.ts';

/** The seed of a failed run makes every client repeat the same steps. The timing of events is not reproduced. */
const SEED = Number(process.env.PHONEBOOTH_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
const HOSTS = 2;
const PHONES_PER_HOST = 7;
const CLIENTS_PER_ACCOUNT = 4;
/** Sessions of one minute that no client ends can expire only in the nightly run. */
const RUN_MS = isNightly ? 10 * 60_000 : 0;
/** Requests before the process is killed, and at least as many after it is back. */
const REQUESTS = 300;
const ACCOUNTS = [
  { name: 'minutes', limits: { minutes: 60, sessions: null } },
  { name: 'sessions', limits: { minutes: null, sessions: 2 } },
  { name: 'both', limits: { minutes: 90, sessions: 3 } },
];

const opened = new AsyncDisposableStack();
let fleet: Fleet;
let members: FleetProcess[];
let description: Description;
let accounts: AccountClient[];
const deviceIds = Array.from({ length: HOSTS * PHONES_PER_HOST }, (_, n) => lightPhoneId(n));

const apiWith = (member: FleetProcess, key: string) =>
  new Api({ baseUrl: `${member.httpOrigin}/v1`, key, ca: undefined, description });

beforeAll(async () => {
  process.stdout.write(
    `history: seed ${SEED} (PHONEBOOTH_TEST_SEED=${SEED} repeats what each client does)\n`,
  );
  fleet = opened.use(await startFleet());
  const settings = {
    PHONEBOOTH_DATA_DIR: join(fleet.nats.folder, 'admin'),
    PHONEBOOTH_DATABASE_URL: fleet.postgres.url,
  };
  await addHosts();
  members = await Promise.all([fleet.add('api'), fleet.add('api'), fleet.add('api')]);
  description = await Description.fetch(`${members[0]!.httpOrigin}/v1`, undefined);
  accounts = await addAccounts(settings);
});
afterAll(() => opened.disposeAsync());

async function addHosts(): Promise<void> {
  const names = Array.from({ length: HOSTS }, (_, n) => `light-${n}`);
  for (const [n, credential] of (await admitLightHosts(fleet, names)).entries()) {
    const connection = await connectLightHost(fleet.nats.url, credential);
    const phones = { phones: PHONES_PER_HOST, firstPhone: n * PHONES_PER_HOST };
    opened.use(new LightHost({ ...connection, ...phones }));
  }
}

async function addAccounts(settings: Record<string, string>): Promise<AccountClient[]> {
  await using admin = await AccountAdmin.open(readConfig({}, settings));
  const added: AccountClient[] = [];
  for (const { name, limits } of ACCOUNTS) {
    const { key } = await admin.create({
      accountName: name,
      name: 'history',
      role: 'user',
      validForMs: null,
      quotaMinutes: limits.minutes,
      maxSessions: limits.sessions,
    });
    const apis = members.map((member, n) => ({ process: `api-${n}`, api: apiWith(member, key) }));
    added.push({ name, apis });
  }
  return added;
}

const allFree = () =>
  until('every phone to be available', async () => {
    const free = await listAll(apiWith(members[0]!, fleet.key), '&status=available');
    return free.length === deviceIds.length;
  });

async function sessionsOf({ apis: [first] }: AccountClient): Promise<Session[]> {
  const items: Session[] = [];
  for (let page = 1; ; page++) {
    const data = succeeded(await first!.api.get<Page<Session>>(`/sessions?page_size=100&page=${page}`));
    items.push(...data.items);
    if (items.length >= data.total) return items;
  }
}

/** Ends the remaining live sessions as the account's last requests, and reads the final state. */
async function settleAccount(account: AccountClient, operations: Operation[]): Promise<FinalAccount> {
  const closer = new HistoryClient(account, { name: 'closer', deviceIds, operations, seed: SEED });
  for (const [n, { session_id, status }] of (await sessionsOf(account)).entries()) {
    if (status !== 'disconnected') await closer.ask({ do: 'disconnect', sessionId: session_id }, n);
  }
  const { limits } = ACCOUNTS.find(({ name }) => name === account.name)!;
  const usage = succeeded(await account.apis[0]!.api.get<Usage>('/usage'));
  return { name: account.name, limits, usage, sessions: await sessionsOf(account) };
}

/** Asserts that the run contained enough events for something to go wrong. */
function expectEventful(operations: Operation[], final: FinalAccount[]): void {
  const count = (what: string, code: number | null) =>
    operations.filter(({ request, answer }) => request.do === what && (answer?.code ?? null) === code).length;
  const reasons = Map.groupBy(
    final.flatMap(({ sessions }) => sessions),
    ({ end_reason }) => end_reason,
  );
  const keys = operations.flatMap(({ request, answer }) =>
    request.do === 'connect' && answer?.code === 0 ? [request.key] : [],
  );
  const seen = {
    connects: count('connect', 0),
    inUse: count('connect', 40010),
    unanswered: operations.filter(({ answer }) => answer === null).length,
    released: reasons.get('client')?.length ?? 0,
  };
  const seenInTime = {
    overQuota: count('connect', 40011),
    repeated: keys.length - new Set(keys).size,
    extends: count('extend', 0),
    tooLate: count('extend', 40013),
    expired: reasons.get('expired')?.length ?? 0,
  };
  const all = JSON.stringify({ ...seen, ...seenInTime });
  process.stdout.write(`history: ${operations.length} requests, ${all}\n`);
  for (const [what, n] of Object.entries({ ...seen, ...(isNightly ? seenInTime : {}) }))
    expect(n, `${what} in ${all}`).toBeGreaterThan(0);
}

test(
  `the responses of three api processes, one of them killed, to ${ACCOUNTS.length * CLIENTS_PER_ACCOUNT} clients are consistent (seed ${SEED})`,
  async () => {
    await allFree();
    const operations: Operation[] = [];
    const over = new AbortController();
    const clients = accounts.flatMap((account, a) =>
      Array.from({ length: CLIENTS_PER_ACCOUNT }, (_, n) => {
        const seed = SEED + a * CLIENTS_PER_ACCOUNT + n;
        return new HistoryClient(account, { name: `${account.name}-${n}`, deviceIds, operations, seed });
      }),
    );
    const running = Promise.all(clients.map((client) => client.run(over.signal)));
    const moreRequests = (from = operations.length) =>
      until('more requests', () => operations.length >= from + REQUESTS);
    const accident = async () => {
      await delay(RUN_MS / 3);
      await moreRequests();
      await members[1]!.kill9();
      await members[1]!.restart();
      await moreRequests();
      await delay(RUN_MS / 2);
    };
    await Promise.all([running, accident().finally(() => over.abort())]);
    const final: FinalAccount[] = [];
    for (const account of accounts) final.push(await settleAccount(account, operations));
    const found = checkHistory({ operations, accounts: final });
    const file = join(tmpdir(), `phonebooth-history-${SEED}.json`);
    if (found.length > 0) await writeFile(file, JSON.stringify({ operations, accounts: final }));
    expect(found.slice(0, 10), `${found.length} found; the whole history is in ${file}`).toEqual([]);
    expectEventful(operations, final);
    await allFree();
  },
  RUN_MS + 300_000,
);
