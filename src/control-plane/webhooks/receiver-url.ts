import { isIP } from 'node:net';
import { invalidField } from '../../contract/http/errors.ts';
import { isPublicAddress } from '../../util/public-address.ts';

/**
 * Parses and normalises the URL of a receiver.
 * @throws ApiError 40000 when nothing may be sent to it, as far as can be determined without resolving its name
 */
export function readReceiverUrl(text: string, mayBePrivate: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidField('body.url', 'must be a URL such as https://hooks.example.com/phones');
  }
  if (url.username || url.password) {
    throw invalidField('body.url', 'must not contain a user name or password; messages are signed instead');
  }
  const literal = addressIn(url);
  if (literal !== null && !mayBePrivate && !isPublicAddress(literal)) {
    throw invalidField(
      'body.url',
      'must be an address on the public Internet; an operator can allow others with ' +
        'PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS',
    );
  }
  url.hash = '';
  return url.href;
}

/**
 * The IP address in a URL; null if it has a host name. The URL parser has already normalised forms such as 0x7f.1 to
 * 127.0.0.1.
 */
export function addressIn({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? host : null;
}
