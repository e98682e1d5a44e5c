import type { Webhook } from '../../contract/events/webhook.ts';
import { useUsage } from '../data/queries.ts';
import { shortTime } from '../data/short-time.ts';
import { BackIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Loaded } from '../ui/loaded.tsx';
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
      <Link
        href="/webhooks"
        className="mb-2 -ml-1.5 inline-flex items-center gap-1 rounded-lg py-1 pr-2 text-sm text-soft hover:text-ink"
      >
        <BackIcon className="size-4" />
        {text.back}
      </Link>
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
    <div className="mb-8 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 space-y-1.5">
        <h1 className="text-2xl font-semibold break-all">{url}</h1>
        {description && <p className="break-words">{description}</p>}
        <p className="text-soft">{eventNames(events)}</p>
        <WebhookState webhook={webhook} causes={text.causes} />
        {both && <p className="text-sm text-soft">{text.bothSecrets(shortTime(both))}</p>}
      </div>
      {mayChange && <WebhookActions webhook={webhook} />}
    </div>
  );
}
