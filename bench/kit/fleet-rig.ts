/** A whole deployment for a bench: PostgreSQL, NATS with its monitoring port, an api process, hosts and accounts. */
import { appendFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AccountAdmin } from '../../src/operator/account-admin.ts';
import { readConfig } from '../../src/server/config.ts';
import { type FleetProcess, startFleet } from '../../test/fixtures/fleet.ts';
import { freePort } from '../../test/fixtures/free-port.ts';
import { admitLightHosts } from '../../test/fixtures/light-agents.ts';
import { query } from '../../test/fixtures/postgres.ts';
import { costOf, type ProcessCost, parentOf, pidsWith, withChildren } from './process-cost.ts';

export interface FleetRig {
  natsUrl: string;
  databaseUrl: string;
  apiPort: number;
  /** Credentials of each host, in the order of the hosts. */
  credentials: string[];
  keys: string[];
  look(): Promise<Look>;
  /** Starts another api process and returns its port. */
  addApi(): Promise<number>;
}

/** Cumulative resource use at one moment. */
export interface Look {
  at: number;
  api: ProcessCost;
  postgres: ProcessCost;
  nats: ProcessCost;
  /** Transactions. A single statement outside a transaction counts as one. */
  transactions: number;
  walBytes: number;
  natsMessages: number;
  natsBytes: number;
}

/** Removes the rate limits, because the bench measures the capacity of the service and not its limits. */
const UNLIMITED = {
  PHONEBOOTH_RATE_LIMIT: 'unlimited',
  PHONEBOOTH_RATE_LIMIT_CONNECT: 'unlimited',
  PHONEBOOTH_RATE_LIMIT_ADDRESS: 'unlimited',
  PHONEBOOTH_MAX_SOCKETS: '100000',
};

export async function openFleetRig(
  opened: AsyncDisposableStack,
  { hosts, accounts }: { hosts: number; accounts: number },
): Promise<FleetRig> {
  const fleet = opened.use(await startFleet({ settings: UNLIMITED }));
  const { nats, postgres } = fleet;
  const names = Array.from({ length: hosts }, (_, n) => `light-${n}`);
  const credentials = await admitLightHosts(fleet, names);
  const monitorPort = await freePort();
  // The test fixture does not enable the monitoring port, and NATS reads this setting only when it starts.
  await appendFile(join(nats.folder, 'nats.conf'), `http: "127.0.0.1:${monitorPort}"\n`);
  await nats.kill();
  await nats.resume();
  const api = await fleet.add('api');
  const portOf = ({ httpOrigin }: FleetProcess) => Number(new URL(httpOrigin).port);
  const apiPort = portOf(api);
  const addApi = async () => portOf(await fleet.add('api'));
  const keys = await addAccounts(api, accounts);
  const look = await looker(api, { databaseUrl: postgres.url, natsFolder: nats.folder, monitorPort });
  return { natsUrl: nats.url, databaseUrl: postgres.url, apiPort, credentials, keys, look, addApi };
}

async function addAccounts({ env }: FleetProcess, count: number): Promise<string[]> {
  await using admin = await AccountAdmin.open(readConfig({}, env));
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const account = { accountName: `borrower-${n}`, name: 'bench', role: 'user' as const };
    keys.push((await admin.create({ ...account, validForMs: null })).key);
  }
  return keys;
}

interface Places {
  databaseUrl: string;
  natsFolder: string;
  monitorPort: number;
}

async function looker(api: FleetProcess, places: Places): Promise<FleetRig['look']> {
  const { databaseUrl, natsFolder, monitorPort } = places;
  const apiPids = pidsWith(`PHONEBOOTH_DATA_DIR=${api.env.PHONEBOOTH_DATA_DIR}`, 'environ');
  const natsPids = pidsWith(join(natsFolder, 'nats.conf'), 'cmdline');
  const [backend] = await query<{ pid: number }>(
    databaseUrl,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  );
  const postmaster = parentOf(backend!.pid);
  return async () => {
    const [counts] = await query<{ transactions: string; wal: string }>(
      databaseUrl,
      `select sum(xact_commit + xact_rollback) as transactions, pg_current_wal_lsn() - '0/0' as wal
        from pg_stat_database`,
    );
    const varz = JSON.parse(await read(`http://127.0.0.1:${monitorPort}/varz`));
    return {
      at: performance.now(),
      api: costOf(apiPids),
      postgres: costOf(withChildren(postmaster)),
      nats: costOf(natsPids),
      transactions: Number(counts!.transactions),
      walBytes: Number(counts!.wal),
      natsMessages: varz.in_msgs,
      natsBytes: varz.in_bytes,
    };
  };
}

/** Does not use fetch(), because its idle connection would keep the bench process alive. */
function read(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, timeout: 5_000 }, (response) => resolve(text(response)))
      .on('timeout', () => reject(new Error(`${url} did not respond in time`)))
      .on('error', reject);
  });
}
