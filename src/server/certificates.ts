import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomically } from '../util/write-file-atomically.ts';
import type { Issued, Validity } from './issue-certificates.ts';
import { isConstrainedTo } from './name-constraints.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 730;
/** The period in which clients that trust the authority's old certificate can be configured with the new one. */
const RENEW_AUTHORITY_WITHIN_DAYS = 365;
/** The name of authorities that the service creates. An authority that an operator installed is not renewed. */
const AUTHORITY_NAME = 'Phonebooth local CA';
/** Browsers reject server certificates that are valid for more than 398 days. */
const SERVER_DAYS = 397;
const RENEW_WITHIN_DAYS = 30;
/** The clocks of clients may be behind. */
const BACKDATE_MS = 3_600_000;

export interface Certificates {
  /** Private key of the server, PEM. */
  key: string;
  /** Certificate of the server followed by the authority's, PEM. */
  cert: string;
  /** The file with the authority's certificate, which clients must trust. */
  caFile: string;
  /** Whether the authority's certificate replaced an older one. */
  isAuthorityRenewed: boolean;
}

/** A file in the data folder exists but cannot be used. */
export class CertificateFileError extends Error {
  constructor(file: string, problem: string, remedy: string) {
    super(`${file} ${problem}; ${remedy}`);
    this.name = 'CertificateFileError';
  }
}

/**
 * Returns the certificate of this host, issued by a local authority. Both are created at the first start and stored
 * in `<dataDir>/tls`. The certificate is valid for localhost, 127.0.0.1, ::1, this host's name, and the given names
 * and addresses. It is renewed by the same authority near its expiry and when the names change. The authority is
 * constrained to these names. It is renewed a year before its expiry and when names are added, with the same key. A
 * client that trusts its old certificate accepts new server certificates until that one expires, but only for the old
 * names.
 * @throws CertificateFileError when a file there is damaged
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

  const names = serverNames(hostNames);
  const kept = await readAuthority(caFile, caKeyFile);
  const authority =
    kept && isCurrentAuthority(kept.certificate, names, now)
      ? kept
      : await makeAuthority(caFile, caKeyFile, names, now, kept);
  const server =
    (await readServer(serverFile, authority, names, now)) ??
    (await makeServer(serverFile, authority, names, now));
  return {
    key: privatePem(server.key),
    cert: server.certificate.toString() + authority.certificate.toString(),
    caFile,
    isAuthorityRenewed: kept !== null && authority !== kept,
  };
}

const isIssuedByService = ({ subject }: X509Certificate) => subject.startsWith(`CN=${AUTHORITY_NAME} (`);

function isCurrentAuthority(certificate: X509Certificate, names: string[], now: Date): boolean {
  const days = remainingDays(certificate, now);
  if (!isIssuedByService(certificate)) return days > RENEW_WITHIN_DAYS;
  const isOfToday = days <= AUTHORITY_DAYS && isConstrainedTo(certificate, names);
  return days > RENEW_AUTHORITY_WITHIN_DAYS && isOfToday;
}

async function readAuthority(caFile: string, caKeyFile: string): Promise<Issued | null> {
  const pem = await readIfThere(caFile);
  // The key is written first: as long as the certificate does not exist, no client trusts it.
  if (pem === null) return null;
  const remedy = `restore it, or delete ${caFile} to create a new authority, which clients must then trust`;
  const keyPem = await readIfThere(caKeyFile);
  if (keyPem === null) throw new CertificateFileError(caKeyFile, 'is missing', remedy);
  const certificate = parse(caFile, 'certificate', remedy, () => new X509Certificate(pem));
  const key = parse(caKeyFile, 'private key', remedy, () => createPrivateKey(keyPem));
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateFileError(caKeyFile, `is not the key of ${caFile}`, remedy);
  }
  return { certificate, key };
}

async function makeAuthority(
  caFile: string,
  caKeyFile: string,
  names: string[],
  now: Date,
  kept: Issued | null,
): Promise<Issued> {
  const { issueAuthority } = await issuing();
  const isRenewal = kept !== null && isIssuedByService(kept.certificate);
  const commonName = isRenewal
    ? kept.certificate.subject.slice('CN='.length)
    : `${AUTHORITY_NAME} (${plainHostName().slice(0, 40)})`;
  const renewed = isRenewal ? kept.key : undefined;
  const issued = await issueAuthority(commonName, validity(now, AUTHORITY_DAYS), { names, renewed });
  await writeFileAtomically(caKeyFile, privatePem(issued.key), 0o600);
  await writeFileAtomically(caFile, issued.certificate.toString(), 0o644);
  return issued;
}

/**
 * Returns the stored certificate, or null when there is none or it must be replaced. Key and certificate are in one
 * file, so that they always match.
 */
async function readServer(
  file: string,
  authority: Issued,
  names: string[],
  now: Date,
): Promise<Issued | null> {
  const pem = await readIfThere(file);
  if (pem === null) return null;
  const remedy = 'delete it to create a new one';
  const certificate = parse(file, 'certificate', remedy, () => new X509Certificate(pem));
  const key = parse(file, 'private key', remedy, () => createPrivateKey(pem));
  const current =
    remainingDays(certificate, now) > RENEW_WITHIN_DAYS &&
    certificate.checkPrivateKey(key) &&
    certificate.verify(authority.certificate.publicKey) &&
    namesOf(certificate).join() === names.join();
  return current ? { certificate, key } : null;
}

async function makeServer(file: string, authority: Issued, names: string[], now: Date): Promise<Issued> {
  const { issueServer } = await issuing();
  const { notBefore, notAfter } = validity(now, SERVER_DAYS);
  const issued = await issueServer({
    commonName: plainHostName().slice(0, 64),
    names,
    authority,
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), authority.certificate.validToDate.getTime())),
  });
  await writeFileAtomically(file, privatePem(issued.key) + issued.certificate.toString(), 0o600);
  return issued;
}

/**
 * Loaded only when a certificate has to be issued, because its library takes a second to load. Most starts do not
 * need it.
 */
const issuing = () => import('./issue-certificates.ts');

/** Returns the names without duplicates, in an order that does not depend on the caller. */
function serverNames(hostNames: string[]): string[] {
  const names = ['localhost', '127.0.0.1', '::1', plainHostName(), ...hostNames.map(canonicalName)];
  return [...new Set(names)].filter((name) => isIP(name) || /^[a-z0-9_.*-]{1,253}$/.test(name)).sort();
}

/** Returns the names in a certificate, in the form of `serverNames`. */
function namesOf(certificate: X509Certificate): string[] {
  const entries = certificate.subjectAltName?.split(', ') ?? [];
  return entries.map((entry) => canonicalName(entry.replace(/^(DNS|IP Address):/, ''))).sort();
}

/**
 * Lower-cases a name, and converts an IPv6 address to its canonical form in URLs: the shortest, without brackets or a
 * dotted IPv4 part.
 */
function canonicalName(name: string): string {
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare;
}

/** Returns this host's name with only those characters that need no escaping in a certificate. */
function plainHostName(): string {
  return (
    hostname()
      .toLowerCase()
      .replace(/[^a-z0-9.-]/g, '-') || 'localhost'
  );
}

function validity(now: Date, days: number): Validity {
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
    throw new CertificateFileError(file, `does not contain a valid ${what}`, remedy);
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
