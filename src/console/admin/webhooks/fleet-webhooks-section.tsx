import { useState } from 'react';
import type { FleetWebhook } from '../../../contract/events/webhook.ts';
import { shortTime } from '../../data/short-time.ts';
import { adminTexts } from '../../texts/admin.ts';
import { webhookTexts } from '../../texts/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { eventNames } from '../../webhooks/event-names.ts';
import { WebhookState } from '../../webhooks/webhook-state.tsx';
import { AccountFilter } from '../account-filter.tsx';
import { accountAddress } from '../admin-address.ts';
import { useFleetWebhooks, useUpdateFleetWebhook } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { DisableWebhookDialog } from './disable-webhook-dialog.tsx';

const text = webhookTexts.fleet;

/** Lists the webhooks of all accounts. Their paths may contain secrets, so only the origin of each URL is known. */
export function FleetWebhooksSection() {
  const address = useAddress(['account']);
  const { filters, page, change } = address;
  const webhooks = useFleetWebhooks({ account_id: filters.account, page });
  const [leaving, setLeaving] = useState<FleetWebhook | null>(null);
  const update = useUpdateFleetWebhook();
  const allow = ({ id, account }: FleetWebhook) =>
    update.mutate(
      { webhookId: id, change: { active: true } },
      {
        onSuccess: () => toast(text.allowed(account.name)),
        onError: (error) => toast(operatorSentence(error), { tone: 'bad' }),
      },
    );
  return (
    <>
      <PageHeader title={webhookTexts.title} detail={webhooks.data && text.count(webhooks.data.total)} />
      <Filters address={address}>
        <AccountFilter value={filters.account} onChange={(account) => change({ account })} />
      </Filters>
      <Listing
        caption={webhookTexts.title}
        query={webhooks}
        sentence={operatorSentence}
        columns={columns(setLeaving, allow)}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
      {leaving && <DisableWebhookDialog webhook={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

const columns = (
  onDisable: (webhook: FleetWebhook) => void,
  onAllow: (webhook: FleetWebhook) => void,
): readonly Column<FleetWebhook>[] => [
  {
    title: webhookTexts.receiver,
    speaksForItself: true,
    cell: ({ id, origin }) => (
      <>
        <p className="font-medium break-all">{origin}</p>
        <Identifier id={id} />
      </>
    ),
  },
  {
    title: text.account,
    className: 'w-24 xl:w-40 break-words',
    cell: ({ account }) => <TextLink href={accountAddress(account.id)}>{account.name}</TextLink>,
  },
  { title: webhookTexts.events, className: 'w-24 xl:w-44', cell: ({ events }) => eventNames(events) },
  {
    title: webhookTexts.state,
    className: 'w-44 xl:w-64',
    cell: (webhook) => <WebhookState webhook={webhook} causes={text.causes} />,
  },
  {
    title: text.pending,
    className: 'w-20 xl:w-24 tabular-nums',
    cell: ({ pending }) => pending.toLocaleString('en'),
  },
  {
    title: webhookTexts.created,
    className: 'w-34 tabular-nums',
    cell: ({ created_at }) => shortTime(created_at),
  },
  {
    title: adminTexts.actions,
    className: 'w-32 text-right',
    cell: (webhook) =>
      webhook.active || webhook.inactive_cause !== 'operator' ? (
        <Button look="danger" size="small" onClick={() => onDisable(webhook)}>
          {text.disable}
        </Button>
      ) : (
        <Button size="small" onClick={() => onAllow(webhook)}>
          {text.allow}
        </Button>
      ),
  },
];
