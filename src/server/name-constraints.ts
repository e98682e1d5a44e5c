import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** RFC 5280, section 4.2.1.10. */
export const NAME_CONSTRAINTS = '2.5.29.30';
const NAME_CONSTRAINTS_DER = Buffer.from('0603551d1e', 'hex');

/** DER tags: a sequence, and context-specific tags. */
const SEQUENCE = 0x30;
const PERMITTED = 0xa0;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** Returns the value of the extension that constrains an authority to these names and addresses. */
export const permitOnly = (names: string[]): Buffer =>
  der(SEQUENCE, der(PERMITTED, Buffer.concat(names.map((name) => der(SEQUENCE, base(name))))));

/** Whether the authority is constrained, and may sign all of these names. */
export const isConstrainedTo = ({ raw }: X509Certificate, names: string[]): boolean =>
  raw.includes(NAME_CONSTRAINTS_DER) && names.every((name) => raw.includes(der(SEQUENCE, base(name))));

/** A DNS name permits itself and its subdomains. An address permits only itself, because a full mask follows it. */
function base(name: string): Buffer {
  if (!isIP(name)) return der(DNS_NAME, Buffer.from(name.replace(/^\*\./, ''), 'latin1'));
  const bytes = isIP(name) === 4 ? name.split('.').map(Number) : ipv6Bytes(name);
  return der(IP_ADDRESS, Buffer.from([...bytes, ...bytes.map(() => 0xff)]));
}

/** @param address in its shortest form, in hexadecimal groups */
function ipv6Bytes(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groups = (part = '') => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const bytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}
