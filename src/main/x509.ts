import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * Just enough of X.509 (RFC 5280) and DER (ITU-T X.690) to write the certificates of a local authority: ECDSA
 * P-256 with SHA-256, names of one CN. Reading them is left to `X509Certificate` of node:crypto.
 */
export interface CertificateContents {
  subject: string;
  issuer: string;
  /** Both keys are P-256. */
  publicKey: KeyObject;
  signingKey: KeyObject;
  notBefore: Date;
  notAfter: Date;
  extensions: Buffer[];
}

/** The certificate, PEM. */
export function writeCertificate(contents: CertificateContents): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    name(contents.issuer),
    sequence(time(contents.notBefore), time(contents.notAfter)),
    name(contents.subject),
    contents.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...contents.extensions)),
  );
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, contents.signingKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** An authority that signs hosts, and no further authorities. */
export function authorityExtensions(authority: KeyObject): Buffer[] {
  const keyCertSignAndCrlSign = bitString(Buffer.of(0b0000_0110), 1);
  return [
    extension('2.5.29.19', sequence(tlv(0x01, Buffer.of(0xff)), integer(Buffer.of(0))), 'critical'),
    extension('2.5.29.15', keyCertSignAndCrlSign, 'critical'),
    extension('2.5.29.14', octetString(keyIdentifier(authority))),
  ];
}

/** A server of these names, signed by that authority. */
export function serverExtensions(server: KeyObject, authority: KeyObject, names: string[]): Buffer[] {
  const digitalSignature = bitString(Buffer.of(0b1000_0000), 7);
  return [
    extension('2.5.29.19', sequence(), 'critical'),
    extension('2.5.29.15', digitalSignature, 'critical'),
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.14', octetString(keyIdentifier(server))),
    extension('2.5.29.35', sequence(tlv(0x80, keyIdentifier(authority)))),
    subjectAltNames(names),
  ];
}

/** The extension that holds the names, DNS names and addresses; the same names make the same bytes. */
export function subjectAltNames(names: string[]): Buffer {
  const DNS_NAME = 0x82;
  const IP_ADDRESS = 0x87;
  const general = names.map((each) =>
    isIP(each) ? tlv(IP_ADDRESS, ipBytes(each)) : tlv(DNS_NAME, Buffer.from(each, 'ascii')),
  );
  return extension('2.5.29.17', sequence(...general));
}

/** RFC 7093 section 2, method 1: the leftmost 160 bits of the SHA-256 of the public key's bits. */
function keyIdentifier(key: KeyObject): Buffer {
  const P256_POINT_BYTES = 65;
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-P256_POINT_BYTES);
  return createHash('sha256').update(point).digest().subarray(0, 20);
}

function ipBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes an IPv6 address the one canonical way, without the dotted form.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  const bytes = Buffer.alloc(16);
  [...before, ...zeros, ...after].forEach((group, i) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2);
  });
  return bytes;
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(id), critical ? tlv(0x01, Buffer.of(0xff)) : Buffer.alloc(0), octetString(value));
}

function name(commonName: string): Buffer {
  const attribute = sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(commonName, 'utf8')));
  return sequence(tlv(0x31, attribute));
}

/** UTCTime until 2049 and GeneralizedTime after it, as RFC 5280 section 4.1.2.5 wants. */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]|[.]\d+Z/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : tlv(0x18, Buffer.from(digits, 'ascii'));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const bytes = [arc & 0x7f];
  for (let left = arc >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const explicit = (tag: number, content: Buffer) => tlv(0xa0 | tag, content);
const octetString = (content: Buffer) => tlv(0x04, content);
const bitString = (content: Buffer, unusedBits = 0) => tlv(0x03, Buffer.of(unusedBits), content);
/** Of big-endian bytes whose first is below 0x80 and, unless it is the only one, not zero. */
const integer = (bytes: Buffer) => tlv(0x02, bytes);

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  if (length < 0x10000) return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
  throw new RangeError(`a certificate of ${length} bytes`);
}
