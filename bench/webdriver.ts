/**
 * Measures the commands that a WebDriver test consists of, on a simulated phone through the endpoint `/wd/hub`: find an
 * element, click it, and get its text. The floor is a bare HTTP server that answers as many requests of the same size.
 * Then measures the same commands through WebdriverIO.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installWebDriverClients, WEBDRIVER_CLIENTS } from '../scripts/install-webdriver-clients.mjs';
import { startChild } from './kit/child.ts';
import { HttpConnection, httpRequest } from './kit/http-connection.ts';
import { printTable, printTitle, printVerdict, QUICK, quantile, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import { type Served, serve } from './kit/served.ts';

const ROUNDS = QUICK ? 1 : 3;
const TURNS = QUICK ? 10 : 150;
const WARM_UP_TURNS = QUICK ? 5 : 150;
const AIM_MS = 150;
const DEADLINE_MS = 600_000;
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const APP = 'com.phonebooth.calculator';
/** Programs for the folder with the packages of the clients. */
const PROGRAMS = fileURLToPath(new URL('../test/webdriver-clients/', import.meta.url));
const TIMES_PROGRAM = 'webdriverio-times.mjs';
const COMMANDS = ['find', 'click', 'text'] as const;

type Command = (typeof COMMANDS)[number];

interface Request {
  path: string;
  bytes: string;
}

interface Target {
  connection: HttpConnection;
  requests: Record<Command, Request>;
}

/** Milliseconds of each command in each turn. */
type Times = Record<Command, number[]>;

async function answerOf(
  connection: HttpConnection,
  request: string,
): Promise<{ value: unknown; size: number }> {
  const { status, body } = await connection.ask(request);
  if (status !== 200) throw new Error(`the endpoint answered ${status}: ${body}`);
  return { value: JSON.parse(body.toString()).value, size: body.length };
}

/** Starts a session with an app on the screen. The element keeps its identity, so each turn has the same requests. */
async function openSession(
  { origin, key }: Served,
  opened: AsyncDisposableStack,
): Promise<Target & { sizes: Record<Command, number> }> {
  const connection = await HttpConnection.open(Number(new URL(origin).port));
  opened.defer(() => connection.close());
  const hub = '/wd/hub/session';
  const post = (path: string, body: object): Request => ({
    path: `${hub}${path}`,
    bytes: httpRequest('POST', `${hub}${path}`, key, JSON.stringify(body)),
  });
  const alwaysMatch = {
    platformName: 'Android',
    timeouts: { implicit: 30_000 },
    'phonebooth:options': { wait: 60, duration: 30 },
  };
  const { value } = await answerOf(connection, post('', { capabilities: { alwaysMatch } }).bytes);
  const { sessionId } = value as { sessionId: string };
  const start = { script: 'mobile: activateApp', args: [{ appId: APP }] };
  await answerOf(connection, post(`/${sessionId}/execute/sync`, start).bytes);
  const find = post(`/${sessionId}/element`, { using: 'accessibility id', value: '7' });
  const found = await answerOf(connection, find.bytes);
  const element = `/${sessionId}/element/${(found.value as Record<string, string>)[ELEMENT]}`;
  const text = { path: `${hub}${element}/text`, bytes: httpRequest('GET', `${hub}${element}/text`, key) };
  const click = post(`${element}/click`, {});
  const sizes = {
    find: found.size,
    click: (await answerOf(connection, click.bytes)).size,
    text: (await answerOf(connection, text.bytes)).size,
  };
  return { connection, requests: { find, click, text }, sizes };
}

async function openFloor(
  { requests, sizes }: Awaited<ReturnType<typeof openSession>>,
  opened: AsyncDisposableStack,
): Promise<Target> {
  const child = opened.use(await startChild(new URL('./kit/bare-http-child.ts', import.meta.url)));
  const bytes = Object.fromEntries(COMMANDS.map((command) => [requests[command].path, sizes[command]]));
  const { port } = await child.call<{ port: number }>('open', { bytes });
  const connection = await HttpConnection.open(port);
  opened.defer(() => connection.close());
  return { connection, requests };
}

async function run({ connection, requests }: Target, turns: number): Promise<Times> {
  const times: Times = { find: [], click: [], text: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const command of COMMANDS) {
      const before = performance.now();
      const { status, body } = await connection.ask(requests[command].bytes);
      times[command].push(performance.now() - before);
      if (status !== 200) throw new Error(`${command} was answered with ${status}: ${body}`);
    }
  }
  return times;
}

const together = ({ find, click, text }: Times): number[] =>
  find.map((ms, at) => ms + click[at]! + text[at]!);

/** The round with the lowest median. Any disturbance of the machine makes a time longer. */
const best = (rounds: Times[]): Times =>
  rounds.toSorted((a, b) => quantile(together(a), 0.5) - quantile(together(b), 0.5))[0]!;

/** Runs the commands in a process with WebdriverIO, and returns the milliseconds of all commands in each turn. */
async function runWebdriverIo({ origin, key }: Served, opened: AsyncDisposableStack): Promise<number[]> {
  const complaint = installWebDriverClients();
  if (complaint !== '') throw new Error(`WebdriverIO cannot be installed: ${complaint}`);
  const program = join(WEBDRIVER_CLIENTS, TIMES_PROGRAM);
  await copyFile(join(PROGRAMS, TIMES_PROGRAM), program);
  opened.defer(() => rm(program, { force: true }));
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      ...{ PATH: process.env.PATH, PHONEBOOTH_WEBDRIVER_URL: `${origin}/wd/hub`, PHONEBOOTH_API_KEY: key },
      ...{ APP, TURNS: String(WARM_UP_TURNS + TURNS) },
    },
    timeout: DEADLINE_MS,
  });
  return (JSON.parse(stdout) as number[]).slice(WARM_UP_TURNS);
}

async function measure(opened: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const service = opened.use(
    await serve(folder, { PHONEBOOTH_SIMULATED_PHONES: '2', PHONEBOOTH_ADB: 'off' }),
  );
  const session = await openSession(service, opened);
  const floor = await openFloor(session, opened);
  for (const target of [floor, session]) await run(target, WARM_UP_TURNS);
  printTitle('Find an element, click it and get its text: the endpoint, and a bare HTTP server');
  const rounds: { bare: Times[]; endpoint: Times[] } = { bare: [], endpoint: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.bare.push(await run(floor, TURNS));
    rounds.endpoint.push(await run(session, TURNS));
  }
  const [bare, endpoint] = [best(rounds.bare), best(rounds.endpoint)];
  const row = (name: string, ofBare: number[], ofEndpoint: number[]) => [
    name,
    ...[ofBare, ofEndpoint].flatMap((ms) => [0.5, 0.9].map((share) => show(quantile(ms, share), 'ms'))),
    show(quantile(ofEndpoint, 0.5) / quantile(ofBare, 0.5)),
  ];
  printTable(
    ['', 'bare p50', 'p90', 'endpoint p50', 'p90', 'ratio p50'],
    [
      ...COMMANDS.map((command) => row(command, bare[command], endpoint[command])),
      row('together', together(bare), together(endpoint)),
    ],
  );
  const medians = rounds.endpoint.map((times) => show(quantile(together(times), 0.5), 'ms'));
  console.log(`  medians of the rounds: ${medians.join(', ')}; load average ${show(loadavg()[0]!)}`);
  printVerdict(`less than ${AIM_MS} ms together at the median`, quantile(together(endpoint), 0.5) < AIM_MS);
  const webdriverIo = await runWebdriverIo(service, opened);
  const [p50, p90] = [0.5, 0.9].map((share) => quantile(webdriverIo, share)) as [number, number];
  console.log(`  through WebdriverIO, together: p50 ${show(p50, 'ms')}, p90 ${show(p90, 'ms')}`);
  printVerdict(`less than ${AIM_MS} ms together at the median through WebdriverIO`, p50 < AIM_MS);
}

await section(DEADLINE_MS, measure);
