/**
 * Measures the commands that a WebDriver test consists of, on a simulated phone through the endpoint `/wd/hub`: find an
 * element, click it, and get its text. The floor is a bare HTTP server that answers as many requests of the same size.
 * Then measures the same commands through WebdriverIO, and with the fake driver of an Appium server.
 */
import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installWebDriverClients, WEBDRIVER_CLIENTS } from '../scripts/install-webdriver-clients.mjs';
import { freePort } from '../test/fixtures/free-port.ts';
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
const APPIUM = join(WEBDRIVER_CLIENTS, 'node_modules/appium/index.js');
const APPIUM_START_MS = 60_000;
const APPIUM_POLL_MS = 100;
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

interface WebdriverIoTarget {
  url: string;
  key: string;
  target: { capabilities: object; appId?: string; selector: string };
}

/** Runs the commands in a process with WebdriverIO, and returns the milliseconds of all commands in each turn. */
async function runWebdriverIo(
  { url, key, target }: WebdriverIoTarget,
  opened: AsyncDisposableStack,
): Promise<number[]> {
  const program = join(WEBDRIVER_CLIENTS, TIMES_PROGRAM);
  await copyFile(join(PROGRAMS, TIMES_PROGRAM), program);
  opened.defer(() => rm(program, { force: true }));
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      ...{ PATH: process.env.PATH, PHONEBOOTH_WEBDRIVER_URL: url, PHONEBOOTH_API_KEY: key },
      ...{ TARGET: JSON.stringify(target), TURNS: String(WARM_UP_TURNS + TURNS) },
    },
    timeout: DEADLINE_MS,
  });
  return (JSON.parse(stdout) as number[]).slice(WARM_UP_TURNS);
}

/** Starts an Appium server with its fake driver, whose screen is an XML file with one button. */
async function startAppium(folder: string, opened: AsyncDisposableStack): Promise<WebdriverIoTarget> {
  const screen = join(folder, 'screen.xml');
  await writeFile(screen, '<?xml version="1.0"?><app><MockButton id="7">7</MockButton></app>');
  const port = await freePort();
  const child = spawn(process.execPath, [APPIUM, 'server', '--port', String(port)], {
    env: { PATH: process.env.PATH, HOME: folder, APPIUM_HOME: WEBDRIVER_CLIENTS },
    stdio: 'ignore',
  });
  opened.defer(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + APPIUM_START_MS;
  while (!(await fetch(`${url}/status`).catch(() => null))?.ok) {
    if (performance.now() > deadline) throw new Error('the Appium server does not answer');
    await delay(APPIUM_POLL_MS);
  }
  const automation = { platformName: 'Fake', 'appium:automationName': 'Fake', 'appium:deviceName': 'Fake' };
  const capabilities = { ...automation, 'appium:app': screen };
  return { url, key: 'none', target: { capabilities, selector: '//MockButton' } };
}

async function measureWebdriverIo(
  { origin, key }: Served,
  folder: string,
  opened: AsyncDisposableStack,
): Promise<void> {
  const complaint = installWebDriverClients();
  if (complaint !== '') throw new Error(`WebdriverIO and Appium cannot be installed: ${complaint}`);
  printTitle('The same through WebdriverIO, and with the fake driver of Appium');
  const options = { wait: 60, duration: 30 };
  const capabilities = { platformName: 'Android', 'phonebooth:options': options };
  const url = `${origin}/wd/hub`;
  const fake = await runWebdriverIo(await startAppium(folder, opened), opened);
  const own = await runWebdriverIo(
    { url, key, target: { capabilities, appId: APP, selector: '~7' } },
    opened,
  );
  const row = (name: string, ms: number[]) => [
    name,
    ...[0.5, 0.9].map((share) => show(quantile(ms, share), 'ms')),
  ];
  printTable(['', 'together p50', 'p90'], [row('Appium', fake), row('endpoint', own)]);
  const p50 = quantile(own, 0.5);
  console.log(`  the endpoint takes ${show(p50 / quantile(fake, 0.5))} times the time of Appium`);
  printVerdict(`less than ${AIM_MS} ms together at the median through WebdriverIO`, p50 < AIM_MS);
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
  await measureWebdriverIo(service, folder, opened);
}

await section(DEADLINE_MS, measure);
