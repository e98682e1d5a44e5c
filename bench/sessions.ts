/**
 * Measures what an idle session with one viewer and one control client costs the gateways, compared with a bare `ws`
 * server that holds the same number of sockets and keeps no state about them.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type Spent, startChild } from './kit/child.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';

const SESSIONS = QUICK ? 500 : 5_000;
const SOCKETS_PER_SESSION = 2;
const SETTLE_MS = QUICK ? 1_000 : 5_000;
const IDLE_MS = QUICK ? 2_000 : 10_000;
const DEADLINE_MS = 300_000;
/** As deploy/systemd and deploy/compose.yaml start the service. The bare server has the same. */
const NODE_OPTIONS = ['--max-semi-space-size=16'];
/** Number of other files that a Node process has open. */
const OTHER_FILES = 100;

interface Cost {
  heap: number;
  rss: number;
  /** CPU time of the process while nothing happens, in milliseconds per second. */
  cpu: number;
}

/** Memory per session: that of one process with all sessions open, minus what it used with none. */
async function measureOne(program: URL, isGateway: boolean): Promise<Cost> {
  await using server = await startChild(program, ['--expose-gc', ...NODE_OPTIONS]);
  await using holders = await startChild(new URL('./kit/holders-child.ts', import.meta.url));
  const sockets = SESSIONS * SOCKETS_PER_SESSION;
  const options = { sessions: isGateway ? SESSIONS : sockets, answerBytes: 0 };
  const address = await server.call<{ port: number; paths: string[] }>('open', options);
  const empty = await settled(server);
  await holders.call('open', { ...address, awaitMessage: isGateway }, 200_000);
  const full = await settled(server);
  await delay(IDLE_MS);
  const later = await server.spent();
  const open = await holders.call<number>('close');
  if (open !== sockets) throw new Error(`only ${open} of ${sockets} sockets were open at the end`);
  return {
    heap: (full.heapUsed - empty.heapUsed) / SESSIONS,
    rss: (full.rss - empty.rss) / SESSIONS,
    cpu: (later.cpuMicros - full.cpuMicros) / IDLE_MS,
  };
}

/** Waits until pending work has finished and collects garbage. Returns what the process has used then. */
async function settled(server: Child): Promise<Spent> {
  await delay(SETTLE_MS);
  await server.collect();
  return server.spent();
}

/** Checks the hard limit, because Node raises the soft limit to it at startup. */
function checkOpenFiles(): void {
  const needed = SESSIONS * SOCKETS_PER_SESSION + OTHER_FILES;
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  if (limit === 'unlimited' || Number(limit) >= needed) return;
  console.error(`${SESSIONS} sessions need ${needed} open files per process, but ulimit -Hn is ${limit}.`);
  console.error('Raise it for this shell as root, ulimit -Hn 20000, or run with --quick.');
  process.exit(1);
}

async function measure(): Promise<void> {
  const bare = await measureOne(new URL('./kit/echo-child.ts', import.meta.url), false);
  const gateways = await measureOne(new URL('./kit/sessions-child.ts', import.meta.url), true);
  printTitle(`${SESSIONS} idle sessions with a viewer and a control client each`);
  const kib = (bytes: number) => show(bytes / 1024, 'KiB');
  const row = (name: string, cost: Cost) => [
    name,
    kib(cost.heap),
    show(cost.heap / bare.heap),
    kib(cost.rss),
    show(cost.rss / bare.rss),
    show(cost.cpu, 'ms/s'),
  ];
  printTable(
    ['per session', 'heap', 'ratio', 'rss', 'ratio', 'CPU of all'],
    [row('bare ws, two sockets', bare), row('the gateways, both ends of two links', gateways)],
  );
  printVerdict('less than 25 KiB of rss per session', gateways.rss < 25 * 1024);
}

checkOpenFiles();
await section(DEADLINE_MS, measure);
