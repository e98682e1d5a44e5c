import 'reflect-metadata';
import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  BasicConstraintsExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CertificateFileError, type Certificates, ensureCertificates } from './certificates.ts';
import { issueAuthority, issueServer } from './issue-certificates.ts';

const DAY_MS = 86_400_000;
/** RFC 5280 section 4.2.1.12. */
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
/** Critical extensions of RFC 5280 in DER, sections 4.2.1.9 and 4.2.1.3. node:crypto does not expose them. */
const SIGNS_NO_AUTHORITIES = Buffer.from('0603551d130101ff040830060101ff020100', 'hex');
const SIGNS_CERTIFICATES_AND_CRLS = Buffer.from('0603551d0f0101ff040403020106', 'hex');
const SIGNS_HANDSHAKES = Buffer.from('0603551d0f0101ff040403020780', 'hex');
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-tls-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const inFolder = (file: string) => join(dataDir, 'tls', file);
const ensure = (hostNames: string[] = [], now?: Date) => ensureCertificates({ dataDir, hostNames, now });
const leaf = ({ cert }: Certificates) => new X509Certificate(cert);

/** Sends one HTTPS request to a server with this certificate. The client trusts only the authority in the file. */
async function get(
  certificates: Pick<Certificates, 'key' | 'cert'>,
  servername: string,
  ca: string,
): Promise<string> {
  const server = createServer(certificates, (_request, response) => response.end('over TLS'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const get = request({ host: servername, port, ca, agent: false, lookup: toLoopback });
    get.end();
    const [response] = await once(get, 'response');
    return await text(response);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Resolves every name to this host. The certificate is verified against the requested name. */
const toLoopback = ((_name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;

describe('a client that trusts the authority’s file', () => {
  test.each(['localhost', '127.0.0.1', 'phones.example.test'])('connects to %s', async (name) => {
    const certificates = await ensure(['phones.example.test']);
    expect(await get(certificates, name, await readFile(certificates.caFile, 'utf8'))).toBe('over TLS');
  });

  test('rejects a different host name and a different authority', async () => {
    const certificates = await ensure();
    const ca = await readFile(certificates.caFile, 'utf8');
    await expect(get(certificates, 'elsewhere.example.test', ca)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    const other = await ensureCertificates({ dataDir: join(dataDir, 'other'), hostNames: [] });
    const otherCa = await readFile(other.caFile, 'utf8');
    await expect(get(certificates, 'localhost', otherCa)).rejects.toThrow(/certificate|signature/);
  });
});

test('lists IP addresses as IP subject alternative names, including IPv6 with or without brackets', async () => {
  const certificate = leaf(await ensure(['10.1.2.3', '[2001:db8::1:ff]', 'fe80::1', '::ffff:1.2.3.4']));
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '2001:db8::1:ff', 'fe80::1', '::ffff:1.2.3.4']) {
    expect(certificate.checkIP(address), address).toBe(address);
  }
  expect(certificate.checkIP('2001:db8::1:fe')).toBeUndefined();
});

test('limits the authority to signing server certificates, and the lifetime of both', async () => {
  const certificates = await ensure();
  const authority = new X509Certificate(await readFile(certificates.caFile));
  expect(authority.ca).toBe(true);
  expect(authority.subject).toMatch(/^CN=Phonebooth local CA \(.+\)$/);
  const server = leaf(certificates);
  expect(server.ca).toBe(false);
  expect(server.checkIssued(authority)).toBe(true);
  expect(server.keyUsage).toEqual([SERVER_AUTH]);
  expect(authority.raw.includes(SIGNS_NO_AUTHORITIES)).toBe(true);
  expect(authority.raw.includes(SIGNS_CERTIFICATES_AND_CRLS)).toBe(true);
  expect(server.raw.includes(SIGNS_HANDSHAKES)).toBe(true);
  for (const { publicKey } of [authority, server]) {
    expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  }
  const days = (certificate: X509Certificate) =>
    (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / DAY_MS;
  expect(days(server)).toBe(397);
  expect(days(authority)).toBe(730);
});

test('restricts the authority to its own names, so that a client that trusts it accepts no others', async () => {
  const certificates = await ensure(['phones.example.test', '10.1.2.3', '[2001:db8::1]']);
  const ca = await readFile(certificates.caFile, 'utf8');
  const authority = {
    certificate: new X509Certificate(ca),
    key: createPrivateKey(await readFile(inFolder('ca-key.pem'))),
  };
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const served = async (name: string, ...more: string[]) => {
    const { certificate, key } = await issueServer({
      commonName: 'x',
      names: [name, ...more],
      authority,
      ...validity,
    });
    const cert = certificate.toString();
    return get({ cert, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() }, name, ca);
  };
  for (const name of ['phones.example.test', 'localhost', '127.0.0.1'])
    expect(await served(name)).toBe('over TLS');
  for (const [name, ...more] of [
    ['bank.example.test'],
    ['localhost', '10.1.2.4'],
    ['localhost', '2001:db8::2'],
  ]) {
    await expect(served(name!, ...more)).rejects.toThrow(/permitted subtree violation/);
  }
});

test('makes the folder and the keys readable only by their owner and leaves no other files', async () => {
  await ensure();
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await mode(inFolder(''))).toBe(0o700);
  expect(await mode(inFolder('ca-key.pem'))).toBe(0o600);
  expect(await mode(inFolder('server.pem'))).toBe(0o600);
  expect((await readdir(inFolder(''))).sort()).toEqual(['ca-key.pem', 'ca.pem', 'server.pem']);
});

describe('on the next start', () => {
  test('keeps existing certificates', async () => {
    const first = await ensure(['a.example.test', 'b.example.test']);
    expect(await ensure(['b.example.test', 'a.example.test'])).toEqual({
      ...first,
      isAuthorityRenewed: false,
    });
  });

  test('does not load the certificate library if it creates no certificate', async () => {
    const first = await ensure(['::ffff:1.2.3.4', 'a.example.test']);
    vi.resetModules();
    const loaded = vi.fn();
    vi.doMock('./issue-certificates.ts', async (actual) => {
      loaded();
      return await actual();
    });
    try {
      const fresh = await import('./certificates.ts');
      const hostNames = ['a.example.test', '[::FFFF:1.2.3.4]'];
      expect(await fresh.ensureCertificates({ dataDir, hostNames })).toEqual(first);
      expect(loaded).not.toHaveBeenCalled();
      await fresh.ensureCertificates({ dataDir, hostNames: [] });
      expect(loaded).toHaveBeenCalled();
    } finally {
      vi.doUnmock('./issue-certificates.ts');
    }
  });

  test('signs with an existing authority, by its own name and identifier', async () => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const identifier = new SubjectKeyIdentifierExtension('00112233');
    const authority = await X509CertificateGenerator.createSelfSigned({
      name: [{ O: ['An operator, Ltd'] }, { CN: ['Their CA'] }],
      keys,
      extensions: [new BasicConstraintsExtension(true, 0, true), identifier],
    });
    await mkdir(inFolder(''), { recursive: true });
    await writeFile(inFolder('ca.pem'), authority.toString('pem'));
    const keyPem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
    await writeFile(inFolder('ca-key.pem'), keyPem);
    const certificates = await ensure();
    expect(await get(certificates, 'localhost', authority.toString('pem'))).toBe('over TLS');
  });

  test.each([['when a name is removed', [], 0]])(
    'renews the certificate %s, signed by the same authority',
    async (_when, hostNames, days) => {
      const first = await ensure(['a.example.test']);
      const ca = await readFile(first.caFile, 'utf8');
      const now = new Date(Date.now() + days * DAY_MS);
      const second = await ensure(hostNames, now);
      expect(leaf(second).fingerprint256).not.toBe(leaf(first).fingerprint256);
      expect(await readFile(second.caFile, 'utf8')).toBe(ca);
      expect(leaf(second).verify(new X509Certificate(ca).publicKey)).toBe(true);
      expect(leaf(second).validToDate.getTime()).toBeGreaterThan(now.getTime() + 396 * DAY_MS);
    },
  );

  test.each([
    ['within a year of its expiry', ['a.example.test'], 366],
    ['when a name is added', ['a.example.test', 'b.example.test'], 0],
  ])(
    'renews the authority %s with the same key, so that clients that trust the old certificate still connect',
    async (_, names, days) => {
      const first = await ensure(['a.example.test']);
      const oldCa = await readFile(first.caFile, 'utf8');
      const now = new Date(Date.now() + days * DAY_MS);
      const second = await ensure(names, now);
      expect(second.isAuthorityRenewed).toBe(true);
      const newCa = new X509Certificate(await readFile(second.caFile));
      expect(newCa.validToDate.getTime()).toBeGreaterThan(now.getTime() + 728 * DAY_MS);
      expect(leaf(second).verify(new X509Certificate(oldCa).publicKey)).toBe(true);
      expect(leaf(second).verify(newCa.publicKey)).toBe(true);
      expect((await ensure(names, now)).isAuthorityRenewed).toBe(false);
    },
  );

  test('is accepted by a client that trusts the authority’s certificate from before its renewal', async () => {
    const first = await ensure();
    const oldCa = await readFile(first.caFile, 'utf8');
    await rm(inFolder('ca.pem'));
    const key = createPrivateKey(await readFile(inFolder('ca-key.pem')));
    const validity = {
      notBefore: new Date(Date.now() - 400 * DAY_MS),
      notAfter: new Date(Date.now() + 300 * DAY_MS),
    };
    const { subject } = new X509Certificate(oldCa);
    const old = await issueAuthority(subject.slice('CN='.length), validity, {
      names: ['localhost', '127.0.0.1', '::1', hostname().toLowerCase()],
      renewed: key,
    });
    await writeFile(inFolder('ca.pem'), old.certificate.toString());
    const renewed = await ensure();
    expect(renewed.isAuthorityRenewed).toBe(true);
    expect(await get(renewed, 'localhost', old.certificate.toString())).toBe('over TLS');
    expect(await get(renewed, 'localhost', await readFile(renewed.caFile, 'utf8'))).toBe('over TLS');
  });

  test('creates a new authority when the old one expires, also after 2049', async () => {
    const first = new X509Certificate(await readFile((await ensure()).caFile));
    const later = await ensure([], new Date('2051-02-03T04:05:06Z'));
    const second = new X509Certificate(await readFile(later.caFile));
    expect(second.fingerprint256).not.toBe(first.fingerprint256);
    expect(second.validFromDate.toISOString()).toBe('2051-02-03T03:05:06.000Z');
    expect(leaf(later).verify(second.publicKey)).toBe(true);
  });

  test('starts after a first start that was interrupted between the authority’s files', async () => {
    await ensure();
    await rm(inFolder('ca.pem'));
    const certificates = await ensure();
    expect(await get(certificates, 'localhost', await readFile(certificates.caFile, 'utf8'))).toBe(
      'over TLS',
    );
  });

  test.each(['ca.pem', 'ca-key.pem', 'server.pem'])('reports a damaged %s', async (file) => {
    await ensure();
    await truncate(inFolder(file), 60);
    await expect(ensure()).rejects.toThrow(CertificateFileError);
    await expect(ensure()).rejects.toThrow(
      new RegExp(`^${inFolder(file)} does not contain a valid .+; .*delete`),
    );
  });

  test('reports a missing or mismatched key of the authority', async () => {
    await ensure();
    const other = join(dataDir, 'other');
    await ensureCertificates({ dataDir: other, hostNames: [] });
    await writeFile(inFolder('ca-key.pem'), await readFile(join(other, 'tls/ca-key.pem')));
    await expect(ensure()).rejects.toThrow(/ca-key[.]pem is not the key of .*ca[.]pem/);
    await rm(inFolder('ca-key.pem'));
    await expect(ensure()).rejects.toThrow(/ca-key[.]pem is missing/);
  });
});
