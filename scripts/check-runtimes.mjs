// Checks that the package phonebooth-client works in Node, Bun and Deno: it builds and packs the package, installs it in a
// temporary folder together with the runtimes, which it downloads, and runs one program in each of them against a service
// with simulated phones.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RUNTIMES = { bun: '1.3.0', deno: '2.5.0' };
const STEP_DEADLINE_MS = 10 * 60_000;
const READY_DEADLINE_MS = 120_000;

const PROGRAM = `
import { isServiceError, Phonebooth } from 'phonebooth-client';

const [url, key] = (globalThis.Deno?.args ?? process.argv.slice(2)) as [string, string];
const phones = new Phonebooth({ url, key });
const events = phones.api.events({ signal: AbortSignal.timeout(60_000) });
const started = (async () => {
  for await (const { event } of events) if (event === 'session.changed') return true;
})();
const phone = await phones.borrow({ duration: 5, wait: 60 });
try {
  await phone.ready;
  await phone.launch('com.phonebooth.notes').catch(() => phone.key('HOME'));
  await phone.tap(0.5, 0.5);
  const tree = await phone.uiTree();
  const png = await phone.screenshot();
  let keyframe = false;
  for await (const packet of phone.frames()) if ((keyframe = packet.type === 'keyframe')) break;
  const taken = await phones.connect(phone.deviceId).catch((error: unknown) => error);
  if (!tree.role || png[1] !== 0x50 || !keyframe || !isServiceError(taken, 'deviceUnavailable'))
    throw new Error(\`unexpected result: \${tree.role} \${png.length} \${keyframe} \${taken}\`);
} finally {
  await phone.disconnect();
}
if (!(await started)) throw new Error('no event of the session arrived');
console.log('phonebooth-client works');
// The stream of events is still open.
globalThis.Deno ? globalThis.Deno.exit(0) : process.exit(0);
`;

function run(what, program, args, cwd) {
  process.stdout.write(`${what} …\n`);
  const result = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: STEP_DEADLINE_MS });
  if (result.status === 0) return result.stdout;
  throw new Error(`${what} failed:\n${result.error?.message ?? ''}${result.stdout}${result.stderr}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReady(origin) {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    const isReady = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > deadline) throw new Error(`timed out: ${origin} is not ready`);
    await delay(200);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'phonebooth-runtimes-'));
const node = process.execPath;
let service;
try {
  const sdk = join(folder, 'sdk');
  run('Building the package', node, ['scripts/build-sdk.mjs', sdk], ROOT);
  const file = run('Packing it', 'npm', ['pack', '--silent', sdk], folder).trim();
  const dependencies = { ...RUNTIMES, 'phonebooth-client': `file:./${file}` };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', private: true, dependencies }),
  );
  run('Installing the runtimes', 'npm', ['install', '--no-audit', '--no-fund'], folder);
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const settings = {
    ...{ PHONEBOOTH_DATA_DIR: join(folder, 'data'), PHONEBOOTH_ADB: 'off', PHONEBOOTH_SIMULATED_PHONES: '1' },
    ...{ PHONEBOOTH_PORT: String(port), PHONEBOOTH_TLS_PORT: String(tlsPort) },
  };
  const env = { PATH: process.env.PATH, ...settings };
  service = spawn(node, [join(ROOT, 'bin/phonebooth.mjs'), 'serve'], { stdio: 'ignore', env });
  await untilReady(origin);
  const key = readFileSync(join(folder, 'data/api-key'), 'utf8').trim();
  const bin = (name) => join(folder, 'node_modules/.bin', name);
  const connect = ['program.ts', origin, key];
  for (const [name, program, args] of [
    ['Node', node, connect],
    ['Bun', bin('bun'), ['run', ...connect]],
    ['Deno', bin('deno'), ['run', '--allow-net', ...connect]],
  ])
    process.stdout.write(run(name, program, args, folder));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  if (service) {
    service.kill('SIGTERM');
    if (service.exitCode === null && service.signalCode === null) await once(service, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
