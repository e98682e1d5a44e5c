import { useState } from 'react';
import type { Group } from '../../../contract/http/group.ts';
import { MAX_NAME_LENGTH } from '../../../contract/http/text-limits.ts';
import { changesOf } from '../../data/changes-of.ts';
import { useIdempotencyKeys } from '../../data/use-idempotency-keys.ts';
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
  const idempotencyKeyOf = useIdempotencyKeys();
  const submit = () => {
    setTried(true);
    if (name.trim() === '') return;
    const values = { name: name.trim(), accounts: [...accounts].sort() };
    const onSuccess = (saved: Group) => {
      toast(group ? text.saved(saved.name) : text.created(saved.name));
      onClose();
    };
    if (group) {
      const before = { name: group.name, accounts: group.accounts.map(({ id }) => id).sort() };
      return update.mutate({ groupId: group.id, change: changesOf(values, before) }, { onSuccess });
    }
    create.mutate({ group: values, idempotencyKey: idempotencyKeyOf(values) }, { onSuccess });
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
