import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from '../../contract/events/webhook-signature.ts';

/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export const newWebhookSecret = (): Uint8Array => randomBytes(SECRET_BYTES);

/** The secret in the form that its owner receives. */
export const secretText = (secret: Uint8Array): string =>
  WEBHOOK_SECRET_PREFIX + Buffer.from(secret).toString('base64');

/**
 * The signature headers of a message, with one signature for each secret.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @param message `timestamp`: when the message is sent, Unix seconds
 */
export function signatureHeaders(
  secrets: readonly Uint8Array[],
  message: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const { id, timestamp, body } = message;
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: String(timestamp),
    [WEBHOOK_HEADERS.signature]: signatures.join(' '),
  };
}
