import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './deployment.ts';

const run = promisify(execFile);
const BUILT = join(ROOT, 'dist/packages/phonebooth-client');
const TIMEOUT_MS = 600_000;

/**
 * Tests the package `phonebooth-client` in `dist/packages`.
 * @param tarball returns the path of the packed package
 */
export function clientPackageSuite(tarball: () => string): void {
  let project: string;

  /** Creates a user's project in which only the package and its dependencies are installed. */
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'phonebooth-sdk-'));
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    await mkdir(join(project, 'node_modules'));
    await cp(BUILT, join(project, 'node_modules/phonebooth-client'), { recursive: true });
    await mkdir(join(project, 'node_modules/@types'));
    for (const name of ['mediabunny', 'ws', 'undici-types', '@types/ws', '@types/node']) {
      await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
    }
  }, TIMEOUT_MS);
  afterAll(() => rm(project, { recursive: true, force: true }));

  test('passes are-the-types-wrong for ES modules', { timeout: TIMEOUT_MS }, async () => {
    const attw = join(ROOT, 'node_modules/.bin/attw');
    const { stdout } = await run(attw, [tarball(), '--profile', 'esm-only', '--no-color'], {
      timeout: TIMEOUT_MS,
    });
    expect(stdout).toMatch(/bundler.*🟢/);
  });

  test('imports only the recorder’s dependencies, and those only when a recording starts', async () => {
    const files = (await readdir(BUILT)).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(files.map((name) => readFile(join(BUILT, name), 'utf8')));
    const imports = texts.flatMap((text) =>
      [...text.matchAll(/(?:from|import)\s*\(?["']([^"']+)["']/g)].map(([, name]) => name!),
    );
    expect([...new Set(imports.filter((name) => !name.startsWith('.')))]).toEqual(['mediabunny']);
    const entry = await readFile(join(BUILT, 'index.js'), 'utf8');
    expect(entry).not.toMatch(/from ["']mediabunny["']/);
    expect(entry.length).toBeLessThan(100_000);
  });

  test('compiles in a user’s TypeScript project with both module resolution modes', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await writeFile(
      join(project, 'use.ts'),
      `import { isServiceError, Phonebooth, type Device, type PhoneSession, type Session, type StreamPacket } from 'phonebooth-client';
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare const phone: PhoneSession;
const rows = async () => (await phone.apps())[0]!;
export const types: [
  Equal<Session['status'], 'connecting' | 'connected' | 'disconnected'>,
  Equal<Session['control_url'], string | null>,
  Equal<Device['brand'], string>,
  Equal<Awaited<ReturnType<typeof rows>>['system'], boolean>,
] = [true, true, true, true];
// @ts-expect-error: ms is a number
phone.call('swipe', { x1: 0, y1: 0, x2: 1, y2: 1, ms: '300' });
// @ts-expect-error: y is required
phone.call('tap', { x: 0 });
phone.call('tap', { x: 0, y: 0 });
export async function use(): Promise<string> {
  const phones = new Phonebooth({ url: 'http://localhost:7100', key: 'k' });
  await using phone = await phones.borrow({ brand: 'google', wait: 5 });
  for await (const packet of phone.frames()) { const last: StreamPacket = packet; if (last.type === 'keyframe') break; }
  const { files } = await (await phone.record('a.mp4')).stop();
  try { await phones.connect('x'); } catch (error) { if (isServiceError(error, 'quotaExceeded')) return String(error.data.limit); }
  // @ts-expect-error: a fraction is a number
  await phone.tap('0.5', 0.5);
  return files[0]!;
}
`,
    );
    for (const moduleResolution of ['bundler', 'nodenext']) {
      const compilerOptions = {
        ...{
          strict: true,
          noEmit: true,
          target: 'es2022',
          lib: ['esnext', 'dom', 'dom.iterable'],
          types: [],
        },
        ...{
          module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
          moduleResolution,
          skipLibCheck: true,
        },
      };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
      await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], {
        cwd: project,
        timeout: TIMEOUT_MS,
      }).catch((error: { stdout: string }) => expect.fail(error.stdout));
    }
  });

  test('accepts the class of the package ws as `webSocket` under strict, with and without the DOM types', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await writeFile(
      join(project, 'use-ws.ts'),
      `import { Phonebooth } from 'phonebooth-client';
import { WebSocket } from 'ws';
class Trusting extends WebSocket {
  constructor(url: string, protocols?: string) { super(url, protocols, { ca: 'a certificate' }); }
}
export const phones = [WebSocket, Trusting, globalThis.WebSocket].map(
  (webSocket) => new Phonebooth({ url: 'http://localhost:7100', key: 'k', webSocket }),
);
// @ts-expect-error: this is not a WebSocket
new Phonebooth({ url: 'http://localhost:7100', key: 'k', webSocket: Map });
`,
    );
    for (const lib of [['esnext'], ['esnext', 'dom', 'dom.iterable']]) {
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: 'es2022', lib, types: ['node'], skipLibCheck: true },
        ...{ module: 'nodenext', exactOptionalPropertyTypes: true },
      };
      await writeFile(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['use-ws.ts'] }),
      );
      await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], {
        cwd: project,
        timeout: TIMEOUT_MS,
      }).catch((error: { stdout: string }) => expect.fail(error.stdout));
    }
  });

  test('does not end the process if sockets of the package ws fail to open', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const script = `
    import { createServer } from 'node:http';
    import { Phonebooth } from 'phonebooth-client';
    import { WebSocket } from 'ws';
    let upgrades = 0;
    const service = createServer((request, response) => {
      const status = upgrades < 4 ? 'connecting' : 'disconnected';
      const sockets = { stream_url: 'ws://127.0.0.1/stream', control_url: 'ws://127.0.0.1/control' };
      const data = { session_id: 's', device_id: 'd', status, end_reason: 'start_failed', ...sockets };
      response.end(JSON.stringify({ code: 0, message: 'success', data }));
    });
    // Rejects every upgrade, by turns with an answer and by closing the connection.
    service.on('upgrade', (_, socket) => {
      upgrades += 1;
      if (upgrades % 2) socket.end('HTTP/1.1 401 Unauthorized\\r\\n\\r\\n');
      else socket.destroy();
    });
    await new Promise((done) => service.listen(0, '127.0.0.1', done));
    const url = 'http://127.0.0.1:' + service.address().port;
    const phones = new Phonebooth({ url, key: 'k', webSocket: WebSocket });
    const phone = await phones.connect('d');
    for await (const packet of phone.frames({ signal: AbortSignal.timeout(1) })) throw packet;
    const failure = await phone.tap(0.5, 0.5).catch((error) => error);
    console.log(failure.name, failure.reason);
    service.close();`;
    await writeFile(join(project, 'refused.mjs'), script);
    for (const node of [process.execPath, process.env.npm_node_execpath ?? process.execPath]) {
      const { stdout } = await run(node, ['refused.mjs'], { cwd: project, timeout: TIMEOUT_MS });
      expect(stdout.trim()).toBe('SessionEndedError start_failed');
    }
  });

  test('explains that WebSocket is missing, and accepts the one of the package ws', async () => {
    const script = `
    delete globalThis.WebSocket;
    const { Phonebooth } = await import('phonebooth-client');
    const { WebSocket } = await import('ws');
    const options = { url: 'http://127.0.0.1:9', key: 'k' };
    try { new Phonebooth(options); } catch (error) { console.log(error.message); }
    new Phonebooth({ ...options, webSocket: WebSocket });
    console.log('made');`;
    await writeFile(join(project, 'use.mjs'), script);
    // The Node that started npm may be the oldest version that the package supports.
    for (const node of [process.execPath, process.env.npm_node_execpath ?? process.execPath]) {
      const { stdout } = await run(node, ['use.mjs'], { cwd: project });
      expect(stdout.trim().split('\n')).toEqual([
        'this runtime has no WebSocket; pass the WebSocket of the package ws as `webSocket`',
        'made',
      ]);
    }
  });
}
