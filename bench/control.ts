/**
 * Measures the round trip of a command through the control gateway to a phone that answers immediately, compared with
 * a bare `ws` server that sends answers of the same size without parsing anything.
 */

import type { Called, CallOrder } from './kit/callers-child.ts';
import { type Child, startChild } from './kit/child.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';

const ROUNDS = QUICK ? 1 : 3;
const SECONDS = QUICK ? 1 : 3;
const WARM_UP_SECONDS = QUICK ? 1 : 3;
const SESSIONS = 50;
const DEADLINE_MS = 200_000;
const ANSWER_BYTES = JSON.stringify({ jsonrpc: '2.0', id: 1_000_000, result: {} }).length;

const TAP = { method: 'tap', params: { x: 0.5, y: 0.25 } };
const TEXT = { method: 'text', params: { text: 'x'.repeat(1_000) } };
const CASES = [
  { name: '1 client, tap after tap', clients: 1, perSecond: null, call: TAP },
  { name: '1 client, 1,000 characters after another', clients: 1, perSecond: null, call: TEXT },
  { name: `${SESSIONS} sessions, 20 taps a second each`, clients: SESSIONS, perSecond: 20, call: TAP },
];

interface Server {
  child: Child;
  address: { port: number; paths: string[] };
  isGateway: boolean;
}

interface Figures {
  p50: number;
  p99: number;
  /** CPU time of the server's process per call, in microseconds. */
  cpu: number;
}

async function openServer(opened: AsyncDisposableStack, program: URL, isGateway: boolean): Promise<Server> {
  const child = opened.use(await startChild(program));
  const options = { sessions: SESSIONS, answerBytes: ANSWER_BYTES };
  return { child, address: await child.call<Server['address']>('open', options), isGateway };
}

async function run(
  server: Server,
  callers: Child,
  of: (typeof CASES)[number],
  seconds = SECONDS,
): Promise<Figures> {
  const { port, paths } = server.address;
  const order = { port, paths: paths.slice(0, of.clients), seconds, call: of.call, perSecond: of.perSecond };
  const before = await server.child.spent();
  const called = await callers.call<Called>('call', {
    ...order,
    awaitReady: server.isGateway,
  } satisfies CallOrder);
  const after = await server.child.spent();
  return { p50: called.p50, p99: called.p99, cpu: (after.cpuMicros - before.cpuMicros) / called.calls };
}

/** The best value of each figure. Any disturbance of the machine makes a figure larger. */
const best = (rounds: Figures[]): Figures => ({
  p50: Math.min(...rounds.map(({ p50 }) => p50)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
  cpu: Math.min(...rounds.map(({ cpu }) => cpu)),
});

async function measure(opened: AsyncDisposableStack): Promise<void> {
  const callers = opened.use(await startChild(new URL('./kit/callers-child.ts', import.meta.url)));
  const gateway = await openServer(opened, new URL('./kit/control-child.ts', import.meta.url), true);
  const bare = await openServer(opened, new URL('./kit/echo-child.ts', import.meta.url), false);
  for (const server of [gateway, bare]) await run(server, callers, CASES[0]!, WARM_UP_SECONDS);
  printTitle(`The control gateway and a bare ws server, answers of ${ANSWER_BYTES} bytes`);
  const results: { name: string; echoed: Figures; passed: Figures }[] = [];
  for (const of of CASES) {
    const [echoed, passed]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      echoed.push(await run(bare, callers, of));
      passed.push(await run(gateway, callers, of));
    }
    results.push({ name: of.name, echoed: best(echoed), passed: best(passed) });
  }
  printTable(
    ['', 'bare p50', 'p99', 'gateway p50', 'p99', 'ratio p50', 'p99', 'CPU/call', 'ratio'],
    results.map(({ name, echoed, passed }) => [
      name,
      ...[echoed.p50, echoed.p99, passed.p50, passed.p99].map((ms) => show(ms, 'ms')),
      show(passed.p50 / echoed.p50),
      show(passed.p99 / echoed.p99),
      show(passed.cpu, 'µs'),
      show(passed.cpu / echoed.cpu),
    ]),
  );
  printVerdict(
    'less than 1 ms added at p99',
    results.every(({ echoed, passed }) => passed.p99 - echoed.p99 < 1),
  );
}

await section(DEADLINE_MS, measure);
