import { useRef, useState } from 'react';
import type { Account } from '../../../contract/account.ts';
import { randomId } from '../../data/random-id.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useCreateAccount, useUpdateAccount } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { limitFrom } from './limit.ts';

const text = adminTexts.accounts;
const MAX_NAME = 100;

interface Values {
  name: string;
  quota_minutes: number | null;
  max_sessions: number | null;
  /** If missing, the service's default applies. */
  max_app_bytes?: number | null;
}

const MIB = 1024 * 1024;
const inMegabytes = (bytes: number | null) => (bytes === null ? '' : String(Math.round(bytes / MIB)));

/** The entered values, and their problems, which are shown after the first attempt to submit. */
function useAccountForm(account: Account | null) {
  const [name, setName] = useState(account?.name ?? '');
  const [quota, setQuota] = useState(account?.quota_minutes?.toString() ?? '');
  const [sessions, setSessions] = useState(account?.max_sessions?.toString() ?? '');
  // A new account gets the service's default unless another value is entered.
  const [storage, setStorage] = useState(account ? inMegabytes(account.max_app_bytes) : null);
  const [isTried, setTried] = useState(false);
  const quotaMinutes = limitFrom(quota);
  const maxSessions = limitFrom(sessions);
  const megabytes = storage === null ? null : limitFrom(storage);
  const isGood =
    name.trim() !== '' && quotaMinutes !== undefined && maxSessions !== undefined && megabytes !== undefined;
  const values: Values | null = isGood
    ? {
        name: name.trim(),
        quota_minutes: quotaMinutes,
        max_sessions: maxSessions,
        ...(storage !== null && { max_app_bytes: megabytes === null ? null : megabytes * MIB }),
      }
    : null;
  const used = account?.minutes_used ?? 0;
  const isBelowUse = typeof quotaMinutes === 'number' && quotaMinutes < used;
  return {
    name: {
      value: name,
      onChange: setName,
      problem: isTried && name.trim() === '' ? text.nameMissing : null,
    },
    quota: {
      value: quota,
      onChange: setQuota,
      problem: isTried && quotaMinutes === undefined ? text.wrongNumber : null,
      hint: isBelowUse ? text.belowUse(used) : text.quotaHint,
    },
    sessions: {
      value: sessions,
      onChange: setSessions,
      problem: isTried && maxSessions === undefined ? text.wrongNumber : null,
    },
    storage: {
      value: storage ?? '',
      onChange: setStorage,
      problem: isTried && megabytes === undefined ? text.wrongNumber : null,
      hint: storage === null ? text.storageDefault : text.quotaHint,
    },
    /** Returns the values to send, or null if one is invalid, and shows the problems from now on. */
    read: () => {
      setTried(true);
      return values;
    },
  };
}

/** Creates an account, or edits an existing one. */
export function AccountDialog({ account, onClose }: { account: Account | null; onClose(): void }) {
  const form = useAccountForm(account);
  const create = useCreateAccount();
  const update = useUpdateAccount();
  const used = account ? update : create;
  // Maps each request to its idempotency key. A retry after a lost response creates no second account, and changed
  // values are a new request.
  const attempts = useRef(new Map<string, string>());
  const submit = () => {
    const values = form.read();
    if (!values) return;
    const onSuccess = ({ name }: Account) => {
      toast(account ? text.saved(name) : text.created(name));
      onClose();
    };
    if (account) return update.mutate({ accountId: account.id, change: values }, { onSuccess });
    const request = JSON.stringify(values);
    const idempotencyKey = attempts.current.get(request) ?? randomId();
    attempts.current.set(request, idempotencyKey);
    create.mutate({ account: values, idempotencyKey }, { onSuccess });
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
      <TextField label={text.name} maxLength={MAX_NAME} autoComplete="off" {...form.name} />
      <TextField label={text.quota} inputMode="numeric" autoComplete="off" {...form.quota} />
      <TextField
        label={text.sessions}
        hint={text.quotaHint}
        inputMode="numeric"
        autoComplete="off"
        {...form.sessions}
      />
      <TextField label={text.storage} inputMode="numeric" autoComplete="off" {...form.storage} />
    </FormDialog>
  );
}
