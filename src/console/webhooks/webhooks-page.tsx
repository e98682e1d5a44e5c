import { useState } from 'react';
import type { Webhook } from '../../contract/events/webhook.ts';
import { useUsage } from '../data/queries.ts';
import { WebhookIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Paging } from '../ui/paging.tsx';
import { useAddress } from '../ui/use-address.ts';
import { eventNames } from './event-names.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useWebhooks } from './webhook-queries.ts';
import { WebhookState } from './webhook-state.tsx';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Lists the webhooks of the user's account. */
export function WebhooksPage() {
  const { page, showPage } = useAddress([]);
  const webhooks = useWebhooks(page);
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
      <Loaded query={webhooks}>
        {({ items, total, page: shown, page_size }) => (
          <>
            {items.length === 0 ? (
              <Message title={text.none} icon={<WebhookIcon className="size-6" />}>
                {text.noneText}
              </Message>
            ) : (
              <DataTable caption={text.caption} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
            )}
            <Paging page={shown} pageSize={page_size} total={total} onPage={showPage} />
          </>
        )}
      </Loaded>
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
        <Link
          href={`/webhooks/${encodeURIComponent(id)}`}
          className="rounded font-medium break-all underline-offset-4 hover:underline"
        >
          {url}
        </Link>
        {description && <p className="text-soft break-words">{description}</p>}
      </>
    ),
  },
  { title: text.events, className: 'w-56', cell: ({ events }) => eventNames(events) },
  {
    title: text.state,
    className: 'w-72',
    cell: (webhook) => <WebhookState webhook={webhook} causes={text.causes} />,
  },
  {
    title: text.created,
    className: 'w-36 tabular-nums',
    cell: ({ created_at }) => day.format(new Date(created_at)),
  },
];
