import { useState } from 'react';
import type { FleetWebhook } from '../../../contract/events/webhook.ts';
import { MAX_REASON_LENGTH } from '../../../contract/http/text-limits.ts';
import { webhookTexts } from '../../texts/webhooks.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useUpdateFleetWebhook } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

const text = webhookTexts.fleet;

/** Disables the webhook of an account, with a reason that the account sees. */
export function DisableWebhookDialog({ webhook, onClose }: { webhook: FleetWebhook; onClose(): void }) {
  const update = useUpdateFleetWebhook();
  const [typed, setReason] = useState('');
  const reason = typed.trim();
  const submit = () =>
    update.mutate(
      { webhookId: webhook.id, change: { active: false, ...(reason === '' ? {} : { reason }) } },
      {
        onSuccess: ({ account }) => {
          toast(text.disabled(account.name));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.disableTitle(webhook.origin)}
      explain={<p>{text.disableExplain}</p>}
      submit={text.disableSubmit}
      danger
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.reason}
        hint={text.reasonHint}
        maxLength={MAX_REASON_LENGTH}
        autoComplete="off"
        value={typed}
        onChange={setReason}
      />
    </FormDialog>
  );
}
