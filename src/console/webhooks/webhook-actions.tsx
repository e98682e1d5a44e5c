import { useState } from 'react';
import type { Webhook } from '../../contract/events/webhook.ts';
import { DisableIcon, MoreIcon, PencilIcon, RotateSecretIcon, TrashIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { webhookTexts as text } from '../texts/webhooks.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Menu, MenuDivider, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { SecretDialog, WebhookDialog } from './webhook-dialog.tsx';
import {
  useDeleteWebhook,
  useRotateWebhook,
  useTestWebhook,
  useUpdateWebhook,
  webhookSentence,
} from './webhook-queries.ts';

type Asked = 'edit' | 'rotate' | 'delete' | null;

/** The actions of an account on its webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>(null);
  const test = useTestWebhook(webhook.id);
  const update = useUpdateWebhook(webhook.id);
  const close = () => setAsked(null);
  const setActive = (active: boolean) =>
    update.mutate(
      { active },
      {
        onSuccess: () => toast(active ? text.enabled : text.disabled),
        onError: (error) => toast(webhookSentence(error)),
      },
    );
  const sendTest = () =>
    test.mutate(undefined, {
      onSuccess: () => toast(text.tested),
      onError: (error) => toast(webhookSentence(error)),
    });
  const mayEnable = webhook.inactive_cause !== 'operator';
  return (
    <div className="flex items-center gap-1.5">
      {webhook.active && (
        <Button size="small" busy={test.isPending} onClick={sendTest}>
          {text.test}
        </Button>
      )}
      {!webhook.active && mayEnable && (
        <Button size="small" look="primary" busy={update.isPending} onClick={() => setActive(true)}>
          {text.enable}
        </Button>
      )}
      <Menu label={text.actions} icon={<MoreIcon />} side="bottom">
        <MenuItem icon={<PencilIcon />} onSelect={() => setAsked('edit')}>
          {text.edit}
        </MenuItem>
        <MenuItem icon={<RotateSecretIcon />} onSelect={() => setAsked('rotate')}>
          {text.rotate}
        </MenuItem>
        {webhook.active && (
          <MenuItem icon={<DisableIcon />} onSelect={() => setActive(false)}>
            {text.disable}
          </MenuItem>
        )}
        <MenuDivider />
        <MenuItem icon={<TrashIcon />} onSelect={() => setAsked('delete')}>
          {text.remove}
        </MenuItem>
      </Menu>
      {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
      {asked === 'rotate' && <RotateDialog webhookId={webhook.id} onClose={close} />}
      {asked === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </div>
  );
}

function RotateDialog({ webhookId, onClose }: { webhookId: string; onClose(): void }) {
  const rotate = useRotateWebhook(webhookId);
  if (rotate.data) return <SecretDialog secret={rotate.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      title={text.rotateTitle}
      explain={<p>{text.rotateExplain}</p>}
      submit={text.rotateSubmit}
      pending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate(undefined)}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const remove = useDeleteWebhook(webhook.id);
  const submit = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast(text.removed);
        navigate('/webhooks', { replace: true });
      },
    });
  return (
    <FormDialog
      title={text.removeTitle}
      explain={
        <>
          <p className="break-all text-ink">{webhook.url}</p>
          <p>{text.removeExplain}</p>
        </>
      }
      submit={text.removeSubmit}
      danger
      pending={remove.isPending}
      error={remove.error}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
