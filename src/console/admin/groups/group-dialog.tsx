import { useRef, useState } from 'react';
import type { Group } from '../../../contract/http/group.ts';
import { MAX_NAME_LENGTH } from '../../../contract/http/text-limits.ts';
import { randomId } from '../../data/random-id.ts';
import { groupTexts as text } from '../../texts/groups.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useCreateGroup, useUpdateGroup } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { AccountChoice } from './account-choice.tsx';

/** Creates a group, or changes the name and the accounts of an existing one. */
export function GroupDialog({ group, onClose }: { group: Group | null; onClose(): void }) {
  const [name, setName] = useState(group?.name ?? '');
  const [accounts, setAccounts] = useState<ReadonlySet<string>>(
    () => new Set(group?.accounts.map(({ id }) => id)),
  );
  const [isTried, setTried] = useState(false);
  const create = useCreateGroup();
  const update = useUpdateGroup();
  const used = group ? update : create;
  // Maps each request to its idempotency key. A retry after a lost response creates no second group, and changed
  // values are a new request.
  const attempts = useRef(new Map<string, string>());
  const submit = () => {
    setTried(true);
    if (name.trim() === '') return;
    const values = { name: name.trim(), accounts: [...accounts] };
    const onSuccess = (saved: Group) => {
      toast(group ? text.saved(saved.name) : text.created(saved.name));
      onClose();
    };
    if (group) return update.mutate({ groupId: group.id, change: values }, { onSuccess });
    const request = JSON.stringify(values);
    const idempotencyKey = attempts.current.get(request) ?? randomId();
    attempts.current.set(request, idempotencyKey);
    create.mutate({ group: values, idempotencyKey }, { onSuccess });
  };
  return (
    <FormDialog
      title={group ? text.editTitle(group.name) : text.createTitle}
      submit={group ? text.save : text.createSubmit}
      pending={used.isPending}
      error={used.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        value={name}
        onChange={setName}
        problem={isTried && name.trim() === '' ? text.nameMissing : null}
      />
      <AccountChoice known={group?.accounts ?? []} chosen={accounts} onChange={setAccounts} />
    </FormDialog>
  );
}
