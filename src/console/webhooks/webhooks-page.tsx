import { useState } from 'react';
import type { Webhook } from '../../contract/events/webhook.ts';
import { useUsage } from '../data/queries.ts';
import { WebhookIcon } from '../icons.tsx';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Listing } from '../ui/listing.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { useAddress } from '../ui/use-address.ts';
import { eventNames } from './event-names.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useWebhooks } from './webhook-queries.ts';
import { WebhookState } from './webhook-state.tsx';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Lists the webhooks of the user's account. */
export function WebhooksPage() {
  const address = useAddress([]);
  const webhooks = useWebhooks(address.page);
  const isViewer = useUsage().data?.role === 'viewer';
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader title={text.title} subtitle={isViewer ? text.viewerOnly : text.subtitle}>
        {!isViewer && (
          <Button look="primary" onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        )}
      </PageHeader>
      <Listing
        caption={text.caption}
        query={webhooks}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.none, text: text.noneText, icon: <WebhookIcon className="size-6" /> }}
      />
      {isCreating && <WebhookDialog webhook={null} onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: text.receiver,
    speaksForItself: true,
    cell: ({ id, url, description }) => (
      <>
        <TextLink href={`/webhooks/${encodeURIComponent(id)}`} className="font-medium break-all">
          {url}
        </TextLink>
        {description && <p className="text-soft break-words">{description}</p>}
      </>
    ),
  },
  { title: text.events, className: 'w-40 xl:w-56', cell: ({ events }) => eventNames(events) },
  {
    title: text.state,
    className: 'w-60 xl:w-72',
    cell: (webhook) => <WebhookState webhook={webhook} causes={text.causes} />,
  },
  {
    title: text.created,
    className: 'w-36 tabular-nums',
    cell: ({ created_at }) => day.format(new Date(created_at)),
  },
];
