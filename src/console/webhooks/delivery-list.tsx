import {
  DELIVERY_STATES,
  type DeliveryState,
  type Webhook,
  type WebhookDelivery,
} from '../../contract/events/webhook.ts';
import { shortTime } from '../data/short-time.ts';
import { WebhookIcon } from '../icons.tsx';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Listing } from '../ui/listing.tsx';
import { Select } from '../ui/select.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { toast } from '../ui/toasts.tsx';
import { useAddress } from '../ui/use-address.ts';
import { useDeliveries, useRedeliver, webhookSentence } from './webhook-queries.ts';

const TONES = { pending: 'idle', delivered: 'good', dead: 'bad' } as const;
const MESSAGE_NAMES: Readonly<Record<WebhookDelivery['event'], string>> = {
  ...text.eventNames,
  ping: text.ping,
  reset: text.reset,
};
const stateOf = (value: string): DeliveryState | '' => DELIVERY_STATES.find((one) => one === value) ?? '';

/** Lists the messages to a webhook with their results, and sends one again. */
export function DeliveryList({ webhook, mayChange }: { webhook: Webhook; mayChange: boolean }) {
  const address = useAddress(['state']);
  const { filters, page, change } = address;
  const deliveries = useDeliveries(webhook.id, stateOf(filters.state), page);
  const redeliver = useRedeliver(webhook.id);
  const again = (id: string) =>
    redeliver.mutate(id, {
      onSuccess: () => toast(text.redelivered),
      onError: (error) => toast(webhookSentence(error)),
    });
  const isBusy = (id: string) => redeliver.isPending && redeliver.variables === id;
  return (
    <section aria-labelledby="deliveries">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h2 id="deliveries" className="text-lg font-semibold">
          {text.deliveries}
        </h2>
        <Select
          className="w-44"
          label={text.state}
          value={filters.state}
          options={[
            ['', text.anyState],
            ...DELIVERY_STATES.map((state) => [state, text.states[state]] as const),
          ]}
          onChange={(state) => change({ state })}
        />
      </div>
      <Listing
        caption={text.deliveriesOf}
        query={deliveries}
        columns={columns(mayChange && webhook.active ? again : null, isBusy)}
        keyOf={({ id }) => id}
        address={address}
        empty={{
          title: text.noDeliveries,
          text: text.noDeliveriesText,
          icon: <WebhookIcon className="size-6" />,
        }}
      />
    </section>
  );
}

const columns = (
  again: ((id: string) => void) | null,
  isBusy: (id: string) => boolean,
): readonly Column<WebhookDelivery>[] => [
  {
    title: text.message,
    speaksForItself: true,
    cell: ({ id, event }) => (
      <>
        <p className="font-medium">{MESSAGE_NAMES[event]}</p>
        <p className="text-xs text-soft break-all">
          <code>{id}</code>
        </p>
      </>
    ),
  },
  {
    title: text.time,
    className: 'w-40 tabular-nums',
    cell: ({ created_at }) => shortTime(created_at),
  },
  { title: text.result, className: 'w-[40%]', cell: (delivery) => <Result delivery={delivery} /> },
  {
    title: text.deliveryActions,
    className: 'w-32 text-right',
    cell: ({ id }) =>
      again && (
        <Button size="small" aria-label={text.redeliverOne(id)} busy={isBusy(id)} onClick={() => again(id)}>
          {text.redeliver}
        </Button>
      ),
  },
];

function Result({ delivery }: { delivery: WebhookDelivery }) {
  const { state, attempts, last_status: status, last_error: error, next_attempt_at: next } = delivery;
  const details = [
    text.attempts(attempts),
    ...(status === null ? [] : [text.status(status)]),
    ...(next === null ? [] : [text.next(shortTime(next))]),
  ];
  return (
    <div className="flex flex-col items-start gap-1 max-md:items-end">
      <StatusBadge tone={TONES[state]}>{text.states[state]}</StatusBadge>
      <p className="text-soft tabular-nums">{details.join(' · ')}</p>
      {error !== null && state !== 'delivered' && (
        <p className="text-soft break-words first-letter:uppercase">{error}</p>
      )}
    </div>
  );
}
