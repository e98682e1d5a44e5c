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
  /** Left out: what the service is set to. */
  max_app_bytes?: number | null;
}

const MIB = 1024 * 1024;
const inMegabytes = (bytes: number | null) => (bytes === null ? '' : String(Math.round(bytes / MIB)));

/** What was typed, and what is wrong with it once somebody wanted to go on with it. */
function useAccountForm(account: Account | null) {
  const [name, setName] = useState(account?.name ?? '');
  const [quota, setQuota] = useState(account?.quota_minutes?.toString() ?? '');
  const [sessions, setSessions] = useState(account?.max_sessions?.toString() ?? '');
  // A new account has what the service is set to unless another value is entered.
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
    /** What to send; null where something is wrong, which is then said. */
    read: () => {
      setTried(true);
      return values;
    },
  };
}

/** Makes an account, or changes one. */
export function AccountDialog({ account, onClose }: { account: Account | null; onClose(): void }) {
  const form = useAccountForm(account);
  const create = useCreateAccount();
  const update = useUpdateAccount();
  const used = account ? update : create;
  // A second try after a lost answer makes no second account; one with other words is another request.
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
