import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBDRIVER_CLIENTS } from '../../scripts/install-webdriver-clients.mjs';
import { type Service, startService } from '../fixtures/service.ts';

const PROGRAMS = new URL('../webdriver-clients/', import.meta.url);
/** Programs in this folder can import the packages of the clients. */
const FOLDER = join(WEBDRIVER_CLIENTS, 'programs');
const PAGE = new URL('../../docs/webdriver.md', import.meta.url);
const DEADLINE_MS = 500_000;

let service: Service;
beforeAll(async () => {
  await cp(PROGRAMS, FOLDER, { recursive: true });
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '4' } });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(FOLDER, { recursive: true, force: true });
});

/** Another Python may precede Debian's on the PATH and lack Debian's Python packages. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import selenium'], { timeout: 60_000 }).status === 0,
)!;

/** Runs a program with a client, and returns its output. */
async function run(program: string, file: string): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH ?? '', PHONEBOOTH_WEBDRIVER_URL: `${service.httpOrigin}/wd/hub` },
    ...{ PHONEBOOTH_API_KEY: service.key, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  };
  const child = spawn(program, [file], { cwd: FOLDER, env, timeout: DEADLINE_MS, killSignal: 'SIGKILL' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const [code] = await once(child, 'close');
  expect({ code, ...output }).toMatchObject({ code: 0 });
  return output.stdout;
}

test('four clients drive four phones at once', { timeout: DEADLINE_MS + 60_000 }, async () => {
  const seen = await Promise.all([
    run(process.execPath, 'webdriverio.mjs'),
    run(process.execPath, 'webdriver.mjs'),
    run(process.execPath, 'selenium.mjs'),
    run(python, 'selenium-client.py'),
  ]);
  const png = Buffer.from('\x89PNG\r\n', 'latin1').toString('base64');
  expect(seen.map((line) => JSON.parse(line.trim().split('\n').at(-1)!))).toEqual(
    Array(4).fill({
      ...{ result: '12', isShown: true, attribute: 'display', hasSize: true, picture: png },
      ...{ isFound: false, isStale: true },
    }),
  );
});

/** Saves the first program of the page that is written in a language, with the port of this service. */
async function saveDocumented(language: string, name: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const [, indent = '', text = ''] =
    new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'ms').exec(page) ?? [];
  const { port } = new URL(service.httpOrigin);
  const file = join(FOLDER, name);
  await writeFile(file, text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').replace('7100', port));
  return file;
}

test('the documented programs work', { timeout: DEADLINE_MS + 60_000 }, async () => {
  const printed = await Promise.all([
    saveDocumented('js', 'test.mjs').then((file) => run(process.execPath, file)),
    saveDocumented('python', 'test.py').then((file) => run(python, file)),
  ]);
  for (const output of printed) expect(output).toMatch(/^7$/m);
});
