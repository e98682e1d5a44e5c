import { useRef, useState } from 'react';
import type { Account } from '../../../contract/http/account.ts';
import { randomId } from '../../data/random-id.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useCreateAccount, useUpdateAccount } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { inMegabytes, limitFrom, MIB } from './limit.ts';

const text = adminTexts.accounts;
const MAX_NAME = 100;

interface Values {
  name: string;
  quota_minutes: number | null;
  max_sessions: number | null;
  /** If missing, the service's default applies. */
  max_app_bytes?: number | null;
}

/** The entered values, and their problems, which are shown after the first attempt to submit. */
function useAccountForm(account: Account | null) {
  const [name, setName] = useState(account?.name ?? '');
  const [quota, setQuota] = useState(account?.quota_minutes?.toString() ?? '');
  const [sessions, setSessions] = useState(account?.max_sessions?.toString() ?? '');
  const storageNow =
    typeof account?.max_app_bytes === 'number' ? String(inMegabytes(account.max_app_bytes)) : '';
  const [storage, setStorage] = useState(storageNow);
  const [isTried, setTried] = useState(false);
  const quotaMinutes = limitFrom(quota);
  const maxSessions = limitFrom(sessions);
  const megabytes = limitFrom(storage);
  const isValid =
    name.trim() !== '' && quotaMinutes !== undefined && maxSessions !== undefined && megabytes !== undefined;
  const values: Values | null = isValid
    ? {
        name: name.trim(),
        quota_minutes: quotaMinutes,
        max_sessions: maxSessions,
        // An unchanged limit is not sent: the service keeps it to the byte, and a new account gets the default.
        ...(storage !== storageNow && { max_app_bytes: megabytes === null ? null : megabytes * MIB }),
      }
    : null;
  const used = account?.minutes_used ?? 0;
  const isBelowUse = typeof quotaMinutes === 'number' && quotaMinutes < used;
  const storedBytes = account?.app_bytes ?? 0;
  const isStorageBelowUse = typeof megabytes === 'number' && megabytes * MIB < storedBytes;
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
      value: storage,
      onChange: setStorage,
      problem: isTried && megabytes === undefined ? text.wrongNumber : null,
      hint: !account
        ? text.storageDefault
        : isStorageBelowUse
          ? text.storageBelowUse(inMegabytes(storedBytes))
          : text.storageHint(inMegabytes(storedBytes)),
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
      <div className="grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">
        <TextField label={text.quota} inputMode="numeric" autoComplete="off" {...form.quota} />
        <TextField
          label={text.sessions}
          hint={text.quotaHint}
          inputMode="numeric"
          autoComplete="off"
          {...form.sessions}
        />
      </div>
      <TextField label={text.storage} inputMode="numeric" autoComplete="off" {...form.storage} />
    </FormDialog>
  );
}
