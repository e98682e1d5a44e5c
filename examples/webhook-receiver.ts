/**
 * Receives the messages of a webhook and prints them:
 *   WEBHOOK_SECRET=whsec_… npx --no-install node examples/webhook-receiver.ts
 * Then create the webhook: phonebooth webhooks add http://127.0.0.1:8080/
 * (the service must allow private addresses: PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS=on).
 */
import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '../src/client/index.ts';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('set WEBHOOK_SECRET to the secret that phonebooth webhooks add printed');
const port = Number(process.env.PORT ?? 8080);
const MAX_BODY_BYTES = 1024 * 1024;
/**
 * The service sends a message again when its response was lost. Recent message ids are kept so that no message is
 * acted on twice.
 */
const seen = new Set<string>();
const MAX_SEEN = 10_000;

createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(500).end(),
  );
}).listen(port, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${port}/`));

/** Returns the HTTP status of the response. After any status but 2xx the service sends the message again later. */
async function receive(request: IncomingMessage): Promise<number> {
  // The signature covers the raw body. A body that was parsed and serialized again has another signature.
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) return 413;
    chunks.push(chunk as Buffer);
  }
  try {
    const message = await verifyWebhook(secret!, request.headers, Buffer.concat(chunks));
    const id = String(request.headers['webhook-id']);
    if (seen.has(id)) return 204;
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.add(id);
    if (message.type === 'session.changed') {
      console.log(`session ${message.data.session_id} of ${message.data.device_id}: ${message.data.status}`);
    } else console.log(message.type, JSON.stringify(message.data));
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`rejected: ${error.message}`);
    return 400;
  }
}
