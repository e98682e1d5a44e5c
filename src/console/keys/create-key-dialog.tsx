import { useState } from 'react';
import { includesRole, ROLES, type Role } from '../../contract/http/key.ts';
import { MAX_NAME_LENGTH } from '../../contract/http/text-limits.ts';
import { useIdempotencyKeys } from '../data/use-idempotency-keys.ts';
import { keyTexts as text } from '../texts/keys.ts';
import { Labelled, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Select } from '../ui/select.tsx';
import { ShownOnceDialog } from '../ui/shown-once-dialog.tsx';
import { expiryChoices } from './expiry-choices.ts';
import { type KeyOwner, useCreateKey } from './key-queries.ts';

const USUAL_DAYS = '90';

interface CreateKeyDialogProps {
  owner: KeyOwner;
  /** Role of the key that the user is signed in with. A new key cannot have a higher role. */
  ownRole: Role;
  /** Longest lifetime of a new key in days; null: unlimited. */
  maxDays: number | null;
  onClose(): void;
}

export function CreateKeyDialog({ owner, ownRole, maxDays, onClose }: CreateKeyDialogProps) {
  const create = useCreateKey(owner);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('user');
  const choices = expiryChoices(maxDays);
  const [days, setDays] = useState(
    () => (choices.find(([choice]) => choice === USUAL_DAYS) ?? choices.at(-1)!)[0],
  );
  const [isNameMissing, setNameMissing] = useState(false);
  const idempotencyKeyOf = useIdempotencyKeys();
  if (create.data) {
    const { name: created, key } = create.data;
    return (
      <ShownOnceDialog title={text.madeTitle(created)} secret={key} texts={text.made} onClose={onClose} />
    );
  }

  const submit = () => {
    setNameMissing(name.trim() === '');
    if (name.trim() === '') return;
    const expires = days === '' ? {} : { expires_in_days: Number(days) };
    const key = { name: name.trim(), role, ...expires };
    create.mutate({ key, idempotencyKey: idempotencyKeyOf(key) });
  };
  return (
    <FormDialog
      title={text.createTitle(owner?.name ?? null)}
      submit={text.createSubmit}
      pending={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        hint={text.nameHint}
        problem={isNameMissing && name.trim() === '' ? text.nameMissing : null}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        onChange={setName}
      />
      <Labelled label={text.role} hint={text.roleMeaning[role]}>
        {({ label }) => (
          <Select
            labelledBy={label}
            value={role}
            options={ROLES.filter((other) => includesRole(ownRole, other)).map(
              (other) => [other, text.roles[other]] as const,
            )}
            onChange={(value) => setRole(value as Role)}
          />
        )}
      </Labelled>
      <Labelled label={text.expiry}>
        {({ label }) => <Select labelledBy={label} value={days} options={choices} onChange={setDays} />}
      </Labelled>
    </FormDialog>
  );
}
