import type { Engine } from './engine.ts';
import { claimDeliveries, settleDeliveries } from './webhook-claims.ts';
import { listDeliveries, pingWebhook, resendDelivery } from './webhook-deliveries.ts';
import { fanOut, webhookWork } from './webhook-fan-out.ts';
import type { WebhookStore } from './webhook-store.ts';
import { trimDeliveries, webhookBacklog } from './webhook-upkeep.ts';
import {
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  makeWebhook,
  rotateWebhookSecret,
} from './webhooks.ts';

export function webhookStore(engine: Engine): WebhookStore {
  return {
    makeWebhook: (command) => makeWebhook(engine, command),
    getWebhook: (webhookId, accountId) => getWebhook(engine, webhookId, accountId),
    listWebhooks: (query) => listWebhooks(engine, query),
    changeWebhook: (change, startAt) => changeWebhook(engine, change, startAt),
    deleteWebhook: (webhookId, accountId) => deleteWebhook(engine, webhookId, accountId),
    rotateWebhookSecret: (command) => rotateWebhookSecret(engine, command),
    listDeliveries: (query) => listDeliveries(engine, query),
    pingWebhook: (command) => pingWebhook(engine, command),
    resendDelivery: (command) => resendDelivery(engine, command),
    webhookWork: () => webhookWork(engine),
    fanOut: (step) => fanOut(engine, step),
    claimDeliveries: (options) => claimDeliveries(engine, options),
    settleDeliveries: (settlement) => settleDeliveries(engine, settlement),
    trimDeliveries: (bounds) => trimDeliveries(engine, bounds),
    webhookBacklog: () => webhookBacklog(engine),
  };
}
