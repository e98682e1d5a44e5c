import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from './write-whole.ts';
import { authorityExtensions, serverExtensions, subjectAltNames, writeCertificate } from './x509.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_652;
/** Browsers refuse server certificates of more than 398 days. */
const SERVER_DAYS = 397;
const RENEW_WITHIN_DAYS = 30;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 3_600_000;

export interface Certificates {
  /** Private key of the server, PEM. */
  key: string;
  /** Certificate of the server followed by the authority's, PEM. */
  cert: string;
  /** The authority's certificate: what a client is told to trust. */
  caFile: string;
}

interface Authority {
  certificate: X509Certificate;
  key: KeyObject;
}

/** A file in the data folder that is there and cannot be used. */
export class CertificateFileError extends Error {
  constructor(file: string, problem: string, remedy: string) {
    super(`${file} ${problem}: ${remedy}`);
    this.name = 'CertificateFileError';
  }
}

/**
 * The certificate of this host from a local authority, both made at first start and kept in `<dataDir>/tls`. It
 * is good for localhost, 127.0.0.1, ::1, this host's name and the names and addresses given; it is renewed near
 * its end and when the names change, by the same authority, so that clients who trust that need do nothing.
 * @throws CertificateFileError when a file there is damaged.
 */
export async function ensureCertificates(options: {
  dataDir: string;
  hostNames: string[];
  now?: Date;
}): Promise<Certificates> {
  const { dataDir, hostNames, now = new Date() } = options;
  const folder = join(dataDir, 'tls');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const caFile = join(folder, 'ca.pem');
  const caKeyFile = join(folder, 'ca-key.pem');
  const serverFile = join(folder, 'server.pem');

  const kept = await readAuthority(caFile, caKeyFile);
  const authority =
    kept && remainingDays(kept.certificate, now) > RENEW_WITHIN_DAYS
      ? kept
      : await makeAuthority(caFile, caKeyFile, now);
  const names = serverNames(hostNames);
  const server =
    (await readServer(serverFile, authority, names, now)) ??
    (await makeServer(serverFile, authority, names, now));
  return { key: server.key, cert: server.cert + authority.certificate.toString(), caFile };
}

async function readAuthority(caFile: string, caKeyFile: string): Promise<Authority | null> {
  const pem = await readIfThere(caFile);
  // The key is written first: without the certificate nobody has been told to trust it.
  if (pem === null) return null;
  const remedy = `restore it, or remove ${caFile} to have a new authority made, which clients must be told to trust`;
  const keyPem = await readIfThere(caKeyFile);
  if (keyPem === null) throw new CertificateFileError(caKeyFile, 'is missing', remedy);
  const certificate = parse(caFile, 'certificate', remedy, () => new X509Certificate(pem));
  const key = parse(caKeyFile, 'private key', remedy, () => createPrivateKey(keyPem));
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateFileError(caKeyFile, `is not the key of ${caFile}`, remedy);
  }
  return { certificate, key };
}

async function makeAuthority(caFile: string, caKeyFile: string, now: Date): Promise<Authority> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = `Phonebooth local CA (${plainHostName().slice(0, 40)})`;
  const pem = writeCertificate({
    subject,
    issuer: subject,
    publicKey,
    signingKey: privateKey,
    ...validity(now, AUTHORITY_DAYS),
    extensions: authorityExtensions(publicKey),
  });
  await writeWhole(caKeyFile, privatePem(privateKey), 0o600);
  await writeWhole(caFile, pem, 0o644);
  return { certificate: new X509Certificate(pem), key: privateKey };
}

interface ServerCertificate {
  key: string;
  cert: string;
}

/** What is kept, or null when there is none or it is time for another. Key and certificate share a file, so that they match. */
async function readServer(
  file: string,
  authority: Authority,
  names: string[],
  now: Date,
): Promise<ServerCertificate | null> {
  const pem = await readIfThere(file);
  if (pem === null) return null;
  const remedy = 'remove it to have another made';
  const certificate = parse(file, 'certificate', remedy, () => new X509Certificate(pem));
  const key = parse(file, 'private key', remedy, () => createPrivateKey(pem));
  const current =
    remainingDays(certificate, now) > RENEW_WITHIN_DAYS &&
    certificate.checkPrivateKey(key) &&
    certificate.verify(authority.certificate.publicKey) &&
    certificate.raw.includes(subjectAltNames(names));
  return current ? { key: privatePem(key), cert: certificate.toString() } : null;
}

async function makeServer(
  file: string,
  authority: Authority,
  names: string[],
  now: Date,
): Promise<ServerCertificate> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { notBefore, notAfter } = validity(now, SERVER_DAYS);
  const cert = writeCertificate({
    subject: plainHostName().slice(0, 64),
    issuer: authority.certificate.subject.replace(/^CN=/, ''),
    publicKey,
    signingKey: authority.key,
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), authority.certificate.validToDate.getTime())),
    extensions: serverExtensions(publicKey, createPublicKey(authority.key), names),
  });
  const key = privatePem(privateKey);
  await writeWhole(file, key + cert, 0o600);
  return { key, cert };
}

/** Without repeats, in an order that does not depend on who asks. */
function serverNames(hostNames: string[]): string[] {
  const given = hostNames.map((name) => name.replace(/^\[|\]$/g, '').toLowerCase());
  const names = ['localhost', '127.0.0.1', '::1', plainHostName(), ...given];
  return [...new Set(names)].filter((name) => isIP(name) || /^[a-z0-9_.*-]{1,253}$/.test(name)).sort();
}

/** This host's name in characters that need no escaping in a certificate. */
function plainHostName(): string {
  return (
    hostname()
      .toLowerCase()
      .replace(/[^a-z0-9.-]/g, '-') || 'localhost'
  );
}

function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  const from = now.getTime() - BACKDATE_MS;
  return { notBefore: new Date(from), notAfter: new Date(from + days * DAY_MS) };
}

function remainingDays(certificate: X509Certificate, now: Date): number {
  return (certificate.validToDate.getTime() - now.getTime()) / DAY_MS;
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function parse<T>(file: string, what: string, remedy: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new CertificateFileError(file, `holds no usable ${what}`, remedy);
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
