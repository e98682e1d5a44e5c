import type { WebhookData } from '../contract/events/event.ts';
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from '../contract/events/webhook-signature.ts';

/** A message of a webhook. `reset` means that events were missed: read the lists again. */
export type WebhookMessage = { timestamp: string } & (
  | { [Name in keyof WebhookData]: { type: Name; data: WebhookData[Name] } }[keyof WebhookData]
  | { type: 'ping'; data: Record<string, never> }
);

/** The headers as a standard `Headers` object, or as Node's request headers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * Maximum difference between the message's timestamp and this machine's clock, in seconds. The default is five
   * minutes.
   */
  toleranceSeconds?: number;
  /** This machine's time, Unix milliseconds. */
  now?: number;
}

/**
 * The message was not signed by the service, or its timestamp is too old or in the future. Respond with status 400.
 */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

const TOLERANCE_S = 300;

/**
 * Verifies a message's signature and timestamp as the Standard Webhooks specification defines, and parses it. A
 * message may be delivered twice, with the same `webhook-id` header.
 * @param secret `whsec_…`, from the response that created the webhook
 * @param body the raw body: text that was parsed and serialized again does not match the signature
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = TOLERANCE_S, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = headerOf(headers, WEBHOOK_HEADERS.id);
  const timestamp = headerOf(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = headerOf(headers, WEBHOOK_HEADERS.signature);
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('the webhook-timestamp header must be a Unix time in seconds');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(secret, content, signatures))) {
    throw new WebhookVerificationError(
      'the signature does not match; pass the raw body of the request, and the secret of this webhook',
    );
  }
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'webhook-timestamp is too old or in the future; check the clock of this machine',
    );
  }
  return JSON.parse(text) as WebhookMessage;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`the header ${name} is missing; pass all headers of the request`);
  }
  return value;
}

/** Accepts any of the signatures; there are two while a secret is rotated. Each is compared in constant time. */
async function isSigned(
  secret: string,
  content: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const bytes = fromBase64(secret.replace(WEBHOOK_SECRET_PREFIX, ''));
  if (!bytes || bytes.length === 0)
    throw new TypeError(
      'the secret must be whsec_ followed by base64, as the response that created the webhook contains it',
    );
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  let found = false;
  for (const signature of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
    if (given && (await crypto.subtle.verify('HMAC', key, given, content))) found = true;
  }
  return found;
}

const MAX_SIGNATURES = 10;

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
