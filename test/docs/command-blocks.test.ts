import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { until } from '../black-box/kit/wait.ts';
import { ROOT } from '../deploy/deployment.ts';
import { makeApk } from '../fixtures/apk.ts';
import { freePort } from '../fixtures/free-port.ts';
import { startNats } from '../fixtures/nats.ts';
import { end, launch, processEnv, ready } from '../fixtures/process.ts';
import { runCommand, type Service, startService } from '../fixtures/service.ts';
import { type CommandBlock, commandBlocksOf } from './command-blocks.ts';

/** Maximum time that the commands of one block may take on a busy machine. */
const COMMANDS_DEADLINE_MS = 120_000;

const pages = [
  'README.md',
  'examples/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const blocks = pages.flatMap((page) => commandBlocksOf(page, readFileSync(join(ROOT, page), 'utf8')));
const titleOf = ({ page, line }: CommandBlock) => `${page}:${line}`;

test('every block of commands is run here or is marked with a reason why not', () => {
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.filter(({ marker }) => marker === null).map(titleOf)).toEqual([]);
});

test('runs the examples with the Node of the project, and imports the SDK by the name of its package', () => {
  const texts = [...pages, ...globSync('examples/*.ts', { cwd: ROOT })].map((page) =>
    readFileSync(join(ROOT, page), 'utf8'),
  );
  // Node 20 runs the service, but not TypeScript.
  const commands = texts.flatMap((text) => text.match(/.*\bnode \S+\.ts\b.*/g) ?? []);
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((line) => !line.includes('npx --no-install node'))).toEqual([]);
  // Only programs inside the repository can import it by this name.
  const imports = texts.flatMap((text) => text.match(/\bfrom '[^']+'/g) ?? []);
  expect(imports).toContain("from 'phonebooth-client'");
  expect(imports).not.toContain("from 'phonebooth/client'");
});

test('README.md names every setting that phones in another office need', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, section] = /^## Phones in other offices\n([\s\S]*?)^## /m.exec(readme)!;
  for (const name of ['NATS_URL', 'NATS_CA', 'INGEST_URL', 'HOST', 'HOST_CREDENTIAL']) {
    expect(section).toContain(`PHONEBOOTH_${name}=`);
  }
});

test('finds blocks without a marker and commands without a tag', () => {
  const block = '```sh\nnpm start\n```';
  expect(commandBlocksOf('a.md', block)[0]!.marker).toBeNull();
  expect(commandBlocksOf('a.md', `<!-- not run: -->\n${block}`)[0]!.marker).toBeNull();
  const reason = 'needs a phone on a cable';
  expect(commandBlocksOf('a.md', `<!-- not run: ${reason} -->\n${block}`)[0]!.marker).toEqual({
    kind: 'not run',
    reason,
  });
  expect(() => commandBlocksOf('a.md', '```\nnpm start\n```')).toThrow('a.md:1: tag commands with sh');
});

describe('the documented commands work', () => {
  let service: Service;
  let api: PhoneboothClient;
  /** The reader's environment: the repository’s commands, the service's data folder, and an app. */
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
    folder = mkdtempSync(join(tmpdir(), 'phonebooth-blocks-'));
    await symlink(service.dataDir, join(folder, '.phonebooth'));
    await writeFile(join(folder, 'app.apk'), makeApk({ packageName: 'com.example.app', label: 'Yours' }));
    await writeFile(join(folder, 'package.json'), '{"scripts": {"test:phone": "phonebooth tap 0.5 0.5"}}');
    await mkdir(join(folder, 'bin'));
    const program = (name: string, text: string) =>
      writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text} "$@"\n`, { mode: 0o755 });
    await program('phonebooth', `exec '${process.execPath}' '${join(ROOT, 'bin/phonebooth.mjs')}'`);
    // npx takes an additional second on each call to find the same program.
    await program('npx', 'exec');
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test.each(blocks.filter(({ marker }) => marker?.kind === 'run').map((block) => [titleOf(block), block]))(
    '%s',
    async (_, block) => {
      const text = await withValues((block as CommandBlock).text);
      const { code, output } = await runScript(text);
      expect(code, output).toBe(0);
      // curl exits with 0 whatever the service responds, so the response codes are checked instead.
      const codes = [...output.matchAll(/"code":(\d+),"message"/g)].map(([, answered]) => answered);
      const requests = text.match(/^curl .*(?:\n {2}.*)*/gm) ?? [];
      const answers = requests.filter((request) => !request.includes(' -o '));
      expect(codes, output).toEqual(answers.map(() => '0'));
    },
  );

  /** Replaces the service's address and the placeholders in the block with real values. */
  async function withValues(text: string): Promise<string> {
    const values: [string, () => Promise<string>][] = [
      ['http://localhost:7100', async () => service.httpOrigin],
      ['<device id>', availableDevice],
      ['<session id>', connectedSession],
      ['<app id>', async () => (await api.listApps({ page_size: 1 })).items[0]!.id],
      ['<key id>', async () => (await api.createKey({ name: 'spare', role: 'user' })).id],
    ];
    let replaced = text;
    for (const [name, value] of values) {
      if (replaced.includes(name)) replaced = replaced.replaceAll(name, await value());
    }
    return replaced;
  }

  const availableDevice = () =>
    until(
      'an available phone',
      async () => (await api.listDevices({ status: 'available' })).items.at(-1)?.id,
    );

  const connectedSession = () =>
    until(
      'a connected session',
      async () =>
        (await api.listSessions({ page_size: 20 })).items.find(({ status }) => status === 'connected')
          ?.session_id,
    );

  async function runScript(text: string): Promise<{ code: number | null; output: string }> {
    const words = ['-euo', 'pipefail', '-c', text];
    const child = spawn('bash', words, {
      cwd: folder,
      env: {
        ...service.env,
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        HOME: folder,
        PHONEBOOTH_URL: service.httpOrigin,
        // Variables that the first block of a page sets for the following blocks.
        API: service.baseUrl,
        auth: `Authorization: Bearer ${service.key}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMANDS_DEADLINE_MS,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    await once(child, 'close');
    return { code: child.exitCode, output };
  }
});

test('connecting phones in another office: NATS, the service and a host, as in README.md', async () => {
  await using opened = new AsyncDisposableStack();
  const folderOf = (name: string) => {
    const folder = mkdtempSync(join(tmpdir(), `phonebooth-${name}-`));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };
  const [port, ingestPort] = [await freePort(), await freePort()];
  const dataDir = folderOf('office');
  const own = {
    ...processEnv(dataDir),
    PHONEBOOTH_PORT: String(port),
    PHONEBOOTH_TLS_PORT: String(await freePort()),
    PHONEBOOTH_SIMULATED_PHONES: '0',
  };
  const added = await runCommand(['hosts', 'add', '--name', 'berlin'], own);
  const credential = added.stdout.split('\n')[0]!;
  const { stdout: hosts } = await runCommand(['hosts', 'nats-config'], own);
  const nats = opened.use(await startNats(hosts));
  const start = async (words: string[], env: Record<string, string>, origin: string) => {
    const process = launch(words, env);
    opened.defer(() => end(process.child, 'SIGTERM'));
    await ready(process, origin);
  };
  const service = {
    ...own,
    PHONEBOOTH_NATS_URL: nats.url,
    PHONEBOOTH_INGEST_URL: `wss://localhost:${ingestPort}`,
    PHONEBOOTH_INGEST_PORT: String(ingestPort),
    PHONEBOOTH_HOST: '0.0.0.0',
  };
  await start(['serve'], service, `http://localhost:${port}`);
  const agentPort = await freePort();
  const berlin = {
    ...processEnv(folderOf('berlin')),
    PHONEBOOTH_HOST_CREDENTIAL: credential,
    PHONEBOOTH_NATS_URL: nats.url,
    PHONEBOOTH_PORT: String(agentPort),
    PHONEBOOTH_SIMULATED_PHONES: '1',
  };
  await start(['agent'], berlin, `http://localhost:${agentPort}`);
  const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
  const api = new PhoneboothClient({ baseUrl: `http://localhost:${port}/v1`, key });
  const { session_id } = await until('a phone of the Berlin host', () =>
    api.borrow({ duration: 1 }).catch(() => null),
  );
  await until('a screenshot of its screen', () => api.screenshot(session_id).catch(() => null));
  await api.disconnect(session_id);
});
