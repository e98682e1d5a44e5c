import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { claimDeliveries, settleDeliveries } from './webhook-claims.ts';
import { listDeliveries, pingWebhook, resendDelivery } from './webhook-deliveries.ts';
import { fanOut, getWebhookWork } from './webhook-fan-out.ts';
import type { WebhookStore } from './webhook-store.ts';
import { getWebhookBacklog, trimDeliveries } from './webhook-upkeep.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts';

export const webhookStore = (engine: Engine): WebhookStore =>
  bind(engine, {
    createWebhook,
    getWebhook,
    listWebhooks,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    listDeliveries,
    pingWebhook,
    resendDelivery,
    getWebhookWork,
    fanOut,
    claimDeliveries,
    settleDeliveries,
    trimDeliveries,
    getWebhookBacklog,
  });
