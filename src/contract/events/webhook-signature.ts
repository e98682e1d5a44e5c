/** Headers of a message, and its signature scheme: https://www.standardwebhooks.com */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;
export const WEBHOOK_SECRET_PREFIX = 'whsec_';
