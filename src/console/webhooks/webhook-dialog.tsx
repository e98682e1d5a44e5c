import { useState } from 'react';
import { WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from '../../contract/events/webhook.ts';
import { changesOf } from '../data/changes-of.ts';
import { useIdempotencyKeys } from '../data/use-idempotency-keys.ts';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ShownOnceDialog } from '../ui/shown-once-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { useCreateWebhook, useUpdateWebhook, webhookSentence } from './webhook-queries.ts';

const MAX_URL = 2_000;
const MAX_DESCRIPTION = 200;
const isUrl = (typed: string) => URL.canParse(typed) && /^https?:$/.test(new URL(typed).protocol);

/** Creates a webhook and shows its secret, or changes an existing one. */
export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose(): void }) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? WEBHOOK_EVENTS);
  const [isTried, setTried] = useState(false);
  const create = useCreateWebhook();
  const update = useUpdateWebhook(webhook?.id ?? '');
  const idempotencyKeyOf = useIdempotencyKeys();
  const used = webhook ? update : create;
  if (create.data) return <SecretDialog secret={create.data.secret} onClose={onClose} />;
  const submit = () => {
    setTried(true);
    if (!isUrl(url.trim()) || events.length === 0) return;
    const values = { url: url.trim(), events: [...events], description: description.trim() || null };
    if (webhook) {
      const onSuccess = () => {
        toast(text.saved);
        onClose();
      };
      return update.mutate(changesOf(values, webhook), { onSuccess });
    }
    const request = { ...values, description: values.description ?? undefined };
    create.mutate({ webhook: request, idempotencyKey: idempotencyKeyOf(request) });
  };
  return (
    <FormDialog
      title={webhook ? text.editTitle : text.createTitle}
      submit={webhook ? text.save : text.createSubmit}
      pending={used.isPending}
      error={used.error}
      sentence={webhookSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.url}
        hint={text.urlHint}
        problem={isTried && !isUrl(url.trim()) ? text.urlMissing : null}
        type="url"
        inputMode="url"
        placeholder="https://"
        maxLength={MAX_URL}
        autoComplete="off"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label={text.description}
        maxLength={MAX_DESCRIPTION}
        autoComplete="off"
        value={description}
        onChange={setDescription}
      />
      <EventChoice events={events} isTried={isTried} onChange={setEvents} />
    </FormDialog>
  );
}

interface EventChoiceProps {
  events: readonly WebhookEvent[];
  isTried: boolean;
  onChange(events: readonly WebhookEvent[]): void;
}

function EventChoice({ events, isTried, onChange }: EventChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{text.events}</legend>
      {WEBHOOK_EVENTS.map((event) => (
        <label key={event} className="flex min-h-control-sm cursor-pointer items-center gap-2.5">
          <input
            type="checkbox"
            className="size-4.5 accent-strong"
            checked={events.includes(event)}
            onChange={({ target }) =>
              onChange(
                WEBHOOK_EVENTS.filter((one) => (one === event ? target.checked : events.includes(one))),
              )
            }
          />
          {text.eventNames[event]}
          <code className="text-xs text-soft">{event}</code>
        </label>
      ))}
      <p role="alert" className="mt-1.5 text-sm text-bad empty:hidden">
        {isTried && events.length === 0 && text.noEvent}
      </p>
    </fieldset>
  );
}

export function SecretDialog({ secret, onClose }: { secret: string | null; onClose(): void }) {
  return (
    <ShownOnceDialog title={text.secretTitle} secret={secret} texts={text.secret} onClose={onClose}>
      <p className="text-sm text-soft">{text.secretUse}</p>
    </ShownOnceDialog>
  );
}
