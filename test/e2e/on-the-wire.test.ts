import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { connect, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../fixtures/service.ts';
import { promised } from '../nightly.ts';

let service: Service;
let tlsPort: number;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '0' } });
  tlsPort = Number(service.env.PHONEBOOTH_TLS_PORT);
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe('TLS', () => {
  interface Offer {
    minVersion: SecureVersion;
    maxVersion: SecureVersion;
    ciphers?: string;
  }

  /** Returns what client and server negotiate, or the error code of a failed handshake. */
  async function handshake(offer: Offer): Promise<string> {
    const ca = readFileSync(service.caFile);
    const socket = connect({ host: 'localhost', port: tlsPort, servername: 'localhost', ca, ...offer });
    try {
      await once(socket, 'secureConnect', { signal: AbortSignal.timeout(60_000) });
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      socket.destroy();
    }
  }

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('accepts %s', async (version) => {
    const settled = await handshake({ minVersion: version, maxVersion: version });
    expect(settled).toMatch(new RegExp(`^${version} .*(GCM|POLY1305)`));
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('rejects %s', async (version) => {
    // At security level 0, this client would accept the version.
    const ciphers = 'DEFAULT@SECLEVEL=0';
    const settled = await handshake({ minVersion: version, maxVersion: version, ciphers });
    expect(settled).toMatch(/PROTOCOL_VERSION|ECONNRESET/);
  });

  test.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES128-SHA', 'AES128-GCM-SHA256', 'AES128-SHA'])(
    'rejects a client that supports nothing newer than %s',
    async (ciphers) => {
      const settled = await handshake({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers });
      expect(settled).toMatch(/HANDSHAKE_FAILURE|ECONNRESET/);
    },
  );

  test('closes a silent connection after 10 s', async () => {
    const socket = connectTcp(tlsPort, '127.0.0.1').on('error', () => {});
    const startedAt = performance.now();
    await once(socket.resume(), 'close', { signal: AbortSignal.timeout(60_000) });
    expect(performance.now() - startedAt).toBeGreaterThan(9_000);
    expect(performance.now() - startedAt).toBeLessThan(promised(15_000));
  });
});

describe('every response', () => {
  const PATHS = [
    ...[
      '/',
      '/devices/anything',
      '/docs/',
      '/docs/api/',
      '/openapi.json',
      '/asyncapi.json',
      '/livez',
      '/readyz',
    ],
    ...['/v1/devices', '/v1/usage', '/v1/no-such-route', '/no-such-file.js', '/metrics'],
  ];
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(service.httpOrigin + path, {
      ...options,
      headers: { accept: 'text/html', origin: 'https://elsewhere.example', ...options.headers },
    });

  test.each(PATHS)('of %s restricts other origins and declares its content type', async (path) => {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      };
      const answer = await ask(path, { method, headers: method === 'OPTIONS' ? headers : {} });
      await answer.arrayBuffer();
      const names = [...answer.headers.keys()];
      expect(names.filter((name) => /^access-control-|^server$|^x-powered-by$/.test(name))).toEqual([]);
      if (path === '/metrics') continue;
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toMatch(/default-src '(self|none)'/);
      expect(/script-src [^;]*'unsafe-inline'/.test(policy)).toBe(false);
    }
  });

  /** Returns the sources in connect-src of the console's policy, for a request with this Host header. */
  async function connectSources(host: string): Promise<string[]> {
    const request = get(`${service.httpOrigin}/devices`, { headers: { accept: 'text/html', host } });
    const [response] = await once(request, 'response', { signal: AbortSignal.timeout(60_000) });
    response.resume();
    const policies = String(response.headers['content-security-policy']).split('; ');
    return policies
      .find((rule) => rule.startsWith('connect-src '))!
      .split(' ')
      .slice(1);
  }

  test('of the console limits connect-src to the origins of this service', async () => {
    const index = (await (await fetch(service.httpOrigin)).json()) as { data: { sockets: object } };
    const sockets = Object.values(index.data.sockets);
    expect(sockets).toHaveLength(2);
    const { host } = new URL(service.httpOrigin);
    const own = ["'self'", ...sockets, `ws://${host}`, `wss://${host}`];
    expect(await connectSources(host)).toEqual(own);
    // A Host header cannot add a source
    for (const forged of ['a *', "a; script-src 'unsafe-inline'", '*', 'https://a', 'a/b', 'a:1 wss://b']) {
      expect(await connectSources(forged)).toEqual(["'self'", ...sockets]);
    }
  });

  test('of the API forbids caching', async () => {
    const headers = { authorization: `Bearer ${service.key}` };
    for (const path of ['/v1/devices', '/v1/keys', '/v1/devices/none']) {
      expect((await ask(path, { headers })).headers.get('cache-control')).toBe('no-store');
    }
  });
});
