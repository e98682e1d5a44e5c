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
  if (!mayBePrivate && isKnownPrivate(url)) {
    throw invalidField(
      'body.url',
      'must have a host on the public Internet; an operator can allow others with ' +
        'PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS',
    );
  }
  url.hash = '';
  return url.href;
}

/**
 * Whether the host of a URL is not on the public Internet, as far as can be determined without resolving its name. The
 * URL parser has already normalised forms such as 0x7f.1 to 127.0.0.1.
 */
export function isKnownPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // localhost always refers to this machine, whatever DNS returns (RFC 6761, section 6.3).
  return isIP(host) ? !isPublicAddress(host) : /(^|\.)localhost\.?$/i.test(host);
}
