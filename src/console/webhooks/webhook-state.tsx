import type { FleetWebhook, Webhook } from '../../contract/events/webhook.ts';
import { shortTime } from '../data/short-time.ts';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { StatusBadge } from '../ui/status-badge.tsx';

type State = Pick<Webhook | FleetWebhook, 'active' | 'inactive_cause' | 'inactive_reason' | 'failing_since'>;

/** Whether events are sent to a webhook, and if not, why. */
export function WebhookState({
  webhook,
  causes,
}: {
  webhook: State;
  causes: typeof text.causes | typeof text.fleet.causes;
}) {
  const { active, inactive_cause: cause, inactive_reason: reason, failing_since: since } = webhook;
  return (
    <div className="flex flex-col items-start gap-1.5 max-md:[td_&]:items-end">
      <StatusBadge tone={!active ? 'idle' : since ? 'bad' : 'good'}>
        {!active ? text.inactive : since ? text.failing : text.active}
      </StatusBadge>
      {active && since && <p className="text-sm text-soft">{text.failingSince(shortTime(since))}</p>}
      {!active && cause && <p className="text-sm text-soft">{causes[cause]}</p>}
      {!active && reason && <p className="text-sm text-soft break-words">{text.reason(reason)}</p>}
    </div>
  );
}
