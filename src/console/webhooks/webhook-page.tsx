import type { Webhook } from '../../contract/events/webhook.ts';
import { useUsage } from '../data/queries.ts';
import { shortTime } from '../data/short-time.ts';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Loaded } from '../ui/loaded.tsx';
import { BackToList, PageHeader } from '../ui/page-header.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { DeliveryList } from './delivery-list.tsx';
import { eventNames } from './event-names.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { useWebhook, webhookSentence } from './webhook-queries.ts';
import { WebhookState } from './webhook-state.tsx';

/** Shows one webhook, the actions on it, and its deliveries. */
export function WebhookPage({ webhookId }: { webhookId: string }) {
  usePageTitle(text.title);
  const webhook = useWebhook(webhookId);
  const mayChange = (useUsage().data?.role ?? 'viewer') !== 'viewer';
  return (
    <>
      <BackToList href="/webhooks">{text.back}</BackToList>
      <Loaded query={webhook} sentence={webhookSentence}>
        {(found) => (
          <>
            <Heading webhook={found} mayChange={mayChange} />
            <DeliveryList webhook={found} mayChange={mayChange} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Heading({ webhook, mayChange }: { webhook: Webhook; mayChange: boolean }) {
  const { url, description, events, previous_secret_until: both } = webhook;
  return (
    <PageHeader
      title={url}
      documentTitle={text.title}
      subtitle={
        <div className="space-y-1">
          {description && <p className="break-words text-ink">{description}</p>}
          <p>{eventNames(events)}</p>
          <WebhookState webhook={webhook} causes={text.causes} />
          {both && <p className="text-sm">{text.bothSecrets(shortTime(both))}</p>}
        </div>
      }
    >
      {mayChange && <WebhookActions webhook={webhook} />}
    </PageHeader>
  );
}
