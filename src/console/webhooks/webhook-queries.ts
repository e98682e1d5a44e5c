import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ServiceError } from '../../client/service-error.ts';
import type { NewWebhook, WebhookChange, WebhookClient } from '../../client/webhook-client.ts';
import type { DeliveryState } from '../../contract/events/webhook.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { useClient } from '../account/account.tsx';
import { errorSentence } from '../data/error-sentence.ts';
import { webhookTexts } from '../texts/webhooks.ts';

const PAGE_SIZE = 20;
const CALM_MS = 15_000;
/** Deliveries are watched while a receiver is being set up. */
const DELIVERIES_MS = 3_000;

export function useWebhooks(page: number) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'list', page],
    queryFn: ({ signal }) => webhooks.list({ page, page_size: PAGE_SIZE }, signal),
    refetchInterval: CALM_MS,
    placeholderData: keepPreviousData,
  });
}

export function useWebhook(id: string) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => webhooks.get(id, signal),
    refetchInterval: CALM_MS,
  });
}

export function useDeliveries(id: string, state: DeliveryState | '', page: number) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'deliveries', id, state, page],
    queryFn: ({ signal }) => webhooks.deliveries(id, { state, page, page_size: PAGE_SIZE }, signal),
    refetchInterval: DELIVERIES_MS,
    placeholderData: keepPreviousData,
  });
}

function useWebhookAction<Input, T>(run: (webhooks: WebhookClient, input: Input) => Promise<T>) {
  const { webhooks } = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(webhooks, input),
    // Only the dialog that shows a secret holds it, so that it is gone when the dialog closes.
    gcTime: 0,
    onSettled: () => cache.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}

export const useCreateWebhook = () =>
  useWebhookAction((webhooks, { webhook, idempotencyKey }: { webhook: NewWebhook; idempotencyKey: string }) =>
    webhooks.create(webhook, { idempotencyKey }),
  );

export const useUpdateWebhook = (id: string) =>
  useWebhookAction((webhooks, change: WebhookChange) => webhooks.update(id, change));

export const useDeleteWebhook = (id: string) =>
  useWebhookAction((webhooks, _: undefined) => webhooks.delete(id));

export const useRotateWebhook = (id: string) =>
  useWebhookAction((webhooks, _: undefined) => webhooks.rotate(id));

export const useTestWebhook = (id: string) => useWebhookAction((webhooks, _: undefined) => webhooks.test(id));

export const useRedeliver = (id: string) =>
  useWebhookAction((webhooks, deliveryId: string) => webhooks.redeliver(id, deliveryId));

/** Returns why the service rejected a webhook and what to do next. */
export function webhookSentence(error: unknown): string {
  if (!(error instanceof ServiceError)) return errorSentence(error);
  return error.code === ERRORS.resourceNotFound.code ? webhookTexts.notFound : errorSentence(error);
}
