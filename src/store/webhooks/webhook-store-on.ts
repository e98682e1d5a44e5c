import type { Engine } from '../engine/engine.ts';
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
    makeWebhook: (command, audit) => makeWebhook(engine, command, audit),
    getWebhook: (webhookId, accountId) => getWebhook(engine, webhookId, accountId),
    listWebhooks: (query) => listWebhooks(engine, query),
    changeWebhook: (change, startAt, audit) => changeWebhook(engine, change, startAt, audit),
    deleteWebhook: (webhookId, accountId, audit) => deleteWebhook(engine, webhookId, accountId, audit),
    rotateWebhookSecret: (command, audit) => rotateWebhookSecret(engine, command, audit),
    listDeliveries: (query) => listDeliveries(engine, query),
    pingWebhook: (command, audit) => pingWebhook(engine, command, audit),
    resendDelivery: (command, audit) => resendDelivery(engine, command, audit),
    webhookWork: () => webhookWork(engine),
    fanOut: (step) => fanOut(engine, step),
    claimDeliveries: (options) => claimDeliveries(engine, options),
    settleDeliveries: (settlement) => settleDeliveries(engine, settlement),
    trimDeliveries: (bounds) => trimDeliveries(engine, bounds),
    webhookBacklog: () => webhookBacklog(engine),
  };
}
