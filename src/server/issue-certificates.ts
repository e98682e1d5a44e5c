import 'reflect-metadata';
import { createPublicKey, KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as ParsedCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { NAME_CONSTRAINTS, permitOnly } from './name-constraints.ts';

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };

export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

export interface Issued {
  certificate: X509Certificate;
  /** Its private key, P-256. */
  key: KeyObject;
}

interface AuthorityOptions {
  /** The names and addresses that the authority may sign; any if omitted. */
  names?: string[];
  /** The key of the authority that this one replaces. Certificates that it signed are also valid under this one. */
  renewed?: KeyObject | undefined;
}

/** Issues an authority that can sign TLS server certificates, but no other authorities. */
export async function issueAuthority(
  commonName: string,
  validity: Validity,
  { names, renewed }: AuthorityOptions = {},
): Promise<Issued> {
  const keys = await (renewed ? pairOf(renewed) : crypto.subtle.generateKey(P256, true, ['sign', 'verify']));
  const pathLength = 0;
  const issued = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, pathLength, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      ...(names ? [new Extension(NAME_CONSTRAINTS, true, new Uint8Array(permitOnly(names)))] : []),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return asNode(issued, keys);
}

/** Converts a P-256 key of node:crypto to a WebCrypto key pair. */
async function pairOf(key: KeyObject): Promise<CryptoKeyPair> {
  const pkcs8 = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  const spki = new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, P256, true, ['sign']),
    publicKey: await crypto.subtle.importKey('spki', spki, P256, true, ['verify']),
  };
}

/**
 * Issues a server certificate with a P-256 key, signed by the authority.
 * @param names DNS names and addresses; IPv6 in hexadecimal groups, because the library misreads the form with dots
 */
export async function issueServer(
  options: { commonName: string; names: string[]; authority: Issued } & Validity,
): Promise<Issued> {
  const { commonName, names, authority, notBefore, notAfter } = options;
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const issuer = new ParsedCertificate(authority.certificate.raw);
  const pkcs8 = authority.key.export({ type: 'pkcs8', format: 'der' });
  const issued = await X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey('pkcs8', pkcs8, P256, false, ['sign']),
    notBefore,
    notAfter,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await authorityKeyIdentifier(issuer),
      new SubjectAlternativeNameExtension(
        names.map((value): JsonGeneralName => ({ type: isIP(value) ? 'ip' : 'dns', value })),
      ),
    ],
  });
  return asNode(issued, keys);
}

/**
 * Returns the authority's own identifier if it has one. It must match, and it may differ from the hash that the
 * library would compute.
 */
async function authorityKeyIdentifier(issuer: ParsedCertificate): Promise<AuthorityKeyIdentifierExtension> {
  const own = issuer.getExtension(SubjectKeyIdentifierExtension);
  return own
    ? new AuthorityKeyIdentifierExtension(own.keyId)
    : AuthorityKeyIdentifierExtension.create(issuer.publicKey);
}

function asNode(issued: ParsedCertificate, keys: CryptoKeyPair): Issued {
  return {
    certificate: new X509Certificate(Buffer.from(issued.rawData)),
    key: KeyObject.from(keys.privateKey),
  };
}
