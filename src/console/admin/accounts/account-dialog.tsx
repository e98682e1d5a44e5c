import { useState } from 'react';
import type { Account } from '../../../contract/http/account.ts';
import { MAX_NAME_LENGTH } from '../../../contract/http/text-limits.ts';
import { changesOf } from '../../data/changes-of.ts';
import { useIdempotencyKeys } from '../../data/use-idempotency-keys.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useCreateAccount, useUpdateAccount } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { useAccountForm } from './use-account-form.ts';

const text = adminTexts.accounts;
const NUMBER = { inputMode: 'numeric', autoComplete: 'off' } as const;

/** Creates an account, or edits an existing one. */
export function AccountDialog({ account, onClose }: { account: Account | null; onClose(): void }) {
  const form = useAccountForm(account);
  const create = useCreateAccount();
  const update = useUpdateAccount();
  const used = account ? update : create;
  const idempotencyKeyOf = useIdempotencyKeys();
  const submit = () => {
    const values = form.read();
    if (!values) return;
    const onSuccess = ({ name }: Account) => {
      toast(account ? text.saved(name) : text.created(name));
      onClose();
    };
    if (account)
      return update.mutate({ accountId: account.id, change: changesOf(values, account) }, { onSuccess });
    create.mutate({ account: values, idempotencyKey: idempotencyKeyOf(values) }, { onSuccess });
  };
  return (
    <FormDialog
      title={account ? text.editTitle(account.name) : text.createTitle}
      submit={account ? text.save : text.createSubmit}
      pending={used.isPending}
      error={used.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={text.name} maxLength={MAX_NAME_LENGTH} autoComplete="off" {...form.name} />
      <div className="grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">
        <TextField label={text.quota} {...NUMBER} {...form.quota} />
        <TextField label={text.sessions} {...NUMBER} {...form.sessions} />
      </div>
      <TextField label={text.storage} {...NUMBER} {...form.storage} />
      <RecordingFields form={form} />
    </FormDialog>
  );
}

/** Closed at first, so that the dialog fits into a low window, unless one of the values needs attention. */
function RecordingFields({ form }: { form: ReturnType<typeof useAccountForm> }) {
  const [isOpen, setOpen] = useState(false);
  const isWrong = form.artifacts.problem !== null || form.days.problem !== null;
  return (
    <details open={isOpen || isWrong} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit rounded font-medium">{text.recordings}</summary>
      <div className="mt-3 space-y-5">
        <label className="flex cursor-pointer gap-2.5">
          <input
            type="checkbox"
            className="mt-0.5 size-4.5 shrink-0 accent-strong"
            checked={form.record.checked}
            onChange={({ target }) => form.record.onChange(target.checked)}
          />
          <span>
            {text.record}
            <span className="block text-sm text-soft">{text.recordHint}</span>
          </span>
        </label>
        <div className="grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">
          <TextField label={text.artifacts} {...NUMBER} {...form.artifacts} />
          <TextField label={text.artifactDays} {...NUMBER} {...form.days} />
        </div>
      </div>
    </details>
  );
}
