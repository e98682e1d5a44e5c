import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end, type Launched, launch, processEnv, ready } from '../fixtures/process.ts';
import { isNightly } from '../nightly.ts';
import { clientPackageSuite } from './client-package-suite.ts';
import { ROOT } from './deployment.ts';

const run = promisify(execFile);
const PACKAGES = join(ROOT, 'dist/packages');
const TIMEOUT_MS = 600_000;
/** The oldest TypeScript that is supported, which takes most of a minute; the repository has the newest. */
const OLDER_TYPESCRIPT = 'typescript@5.9.3';

let folder: string;
/** Paths of the packed packages. */
const tarballs: Record<string, string> = {};
let service: Launched;
let env: Record<string, string>;
let origin: string;

/** Packs both packages, and installs them in a folder that contains nothing else. */
beforeAll(async () => {
  await run(process.execPath, ['scripts/build-packages.mjs'], { cwd: ROOT, timeout: TIMEOUT_MS });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-packages-'));
  const options = { cwd: folder, timeout: TIMEOUT_MS };
  const names = ['phonebooth', 'phonebooth-client'];
  await run('npm', ['pack', '--silent', ...names.map((name) => join(PACKAGES, name))], options);
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
  const { version } = JSON.parse(await readFile(join(PACKAGES, 'phonebooth/package.json'), 'utf8'));
  for (const name of names) tarballs[name] = join(folder, `${name}-${version}.tgz`);
  const files = Object.values(tarballs);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const compiler = isNightly ? [OLDER_TYPESCRIPT] : [];
  await run('npm', ['install', ...flags, ...files, ...compiler], options);
  const [port, tlsPort] = [await freePort(), await freePort()];
  origin = `http://localhost:${port}`;
  env = {
    ...processEnv(join(folder, 'data')),
    ...{ PHONEBOOTH_PORT: String(port), PHONEBOOTH_TLS_PORT: String(tlsPort) },
    PHONEBOOTH_SIMULATED_PHONES: '1',
  };
  service = command('serve');
  await ready(service, origin);
}, TIMEOUT_MS);
afterAll(async () => {
  if (service) await end(service.child, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** Starts the installed command. */
const command = (...args: string[]) =>
  launch(args, env, join(folder, 'node_modules/phonebooth/bin/phonebooth.mjs'));

async function outputOf(...args: string[]): Promise<string> {
  const started = command(...args);
  await until(`phonebooth ${args.join(' ')} to exit`, () => started.isOver());
  expect({ code: started.child.exitCode, stderr: started.stderr() }).toEqual({ code: 0, stderr: '' });
  return started.stdout();
}

test.each(['phonebooth', 'phonebooth-client'])('%s passes publint', async (name) => {
  const tarball = Uint8Array.from(await readFile(tarballs[name]!)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
});

test('phonebooth passes are-the-types-wrong: it has no module to import', {
  timeout: TIMEOUT_MS,
}, async () => {
  const attw = join(ROOT, 'node_modules/.bin/attw');
  const args = [tarballs.phonebooth!, '--profile', 'esm-only', '--no-color'];
  const { stdout } = await run(attw, args, { timeout: TIMEOUT_MS });
  expect(stdout).toMatch(/does not contain types/);
});

test('phonebooth-client installs no other package', async () => {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  const { dependencies = {} } = lock.packages['node_modules/phonebooth-client'];
  expect(dependencies).toEqual({});
});

test('server.json describes the package to the MCP registry', async () => {
  const read = async (path: string) => JSON.parse(await readFile(join(ROOT, path), 'utf8'));
  const server = await read('server.json');
  const { name, version, mcpName } = await read('dist/packages/phonebooth/package.json');
  expect(server).toMatchObject({ name: mcpName, version, packages: [{ identifier: name, version }] });
  const { environmentVariables, packageArguments } = server.packages[0];
  const help = await outputOf(packageArguments[0].value, '--help');
  expect(help).toContain(packageArguments[1].name);
  for (const variable of environmentVariables) expect(help).toContain(variable.name);
});

test('phonebooth serves the console, the documentation and the API, and lists phones', async () => {
  for (const path of ['/', '/docs/', '/docs/api/']) {
    const page = await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } });
    expect([path, page.status]).toEqual([path, 200]);
  }
  await until('a phone that can be borrowed', async () =>
    (await outputOf('devices', '--url', origin)).includes('available'),
  );
});

test('phonebooth runs a command on a phone, whose screen it encodes in a worker', async () => {
  const words = ['run', '--url', origin, '--wait', '60', '--', process.execPath, '-e', 'console.log("ran")'];
  expect(await outputOf(...words)).toBe('ran\n');
});

test('phonebooth mcp answers an AI agent', async () => {
  const bin = join(folder, 'node_modules/phonebooth/bin/phonebooth.mjs');
  const asked = run(process.execPath, [bin, 'mcp', '--url', origin], { env, timeout: 60_000 });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  asked.child.stdin!.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const { stdout } = await asked;
  expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
    id: 1,
    result: { serverInfo: { name: 'phonebooth' } },
  });
});

test('a strict TypeScript program uses the client without the recorder’s package', {
  timeout: TIMEOUT_MS,
}, async () => {
  await writeFile(
    join(folder, 'use.ts'),
    `import { isServiceError, Phonebooth } from 'phonebooth-client';
const [url, key] = process.argv.slice(2) as [string, string];
const phones = new Phonebooth({ url, key });
const phone = await phones.borrow({ duration: 5, wait: 60 });
try {
  await phone.tap(0.5, 0.5);
  const png: Uint8Array = await phone.screenshot();
  // @ts-expect-error: a fraction is a number
  const wrong = () => phone.tap('0.5', 0.5);
  const failure: unknown = await phone.record('a.mp4').catch((error: unknown) => error);
  console.log(png.length > 100, typeof wrong, isServiceError(failure, 'forbidden'), String(failure));
} finally {
  await phone.disconnect();
}
declare const process: { argv: string[] };
`,
  );
  const compilerOptions = {
    // The check of all declarations takes six times as long as the rest.
    ...{ strict: true, noEmit: true, skipLibCheck: !isNightly, exactOptionalPropertyTypes: true },
    ...{ target: 'es2022', lib: ['esnext', 'dom', 'dom.iterable'], types: [], module: 'nodenext' },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  for (const from of isNightly ? [folder, ROOT] : [ROOT]) {
    const tsc = join(from, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', '.'], { cwd: folder, timeout: TIMEOUT_MS }).catch(
      (error: { stdout: string }) => expect.fail(`${from}: ${error.stdout}`),
    );
  }
  const key = (await readFile(join(folder, 'data/api-key'), 'utf8')).trim();
  const { stdout } = await run(process.execPath, ['use.ts', origin, key], { cwd: folder, timeout: 120_000 });
  expect(stdout).toBe(
    'true function false Error: cannot load the recorder; install the package mediabunny\n',
  );
});

describe('phonebooth-client', () => clientPackageSuite(() => tarballs['phonebooth-client']!));
