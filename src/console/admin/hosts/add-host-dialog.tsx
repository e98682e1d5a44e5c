import { useState } from 'react';
import { MAX_NAME_LENGTH } from '../../../contract/http/text-limits.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { useCreateHost } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

const text = adminTexts.hosts;

/** Adds a host and shows its credential, with the steps that connect it. */
export function AddHostDialog({ onClose }: { onClose(): void }) {
  const create = useCreateHost();
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  if (create.data) {
    return (
      <ShownOnceDialog
        title={text.credentialTitle(create.data.name)}
        secret={create.data.credential}
        texts={text.credential}
        onClose={onClose}
      >
        <ol className="list-decimal space-y-2 pl-4.5 text-sm text-soft marker:text-edge">
          {text.connectSteps.map(({ does, command }) => (
            <li key={command}>
              {does}
              <code className="mt-1 block rounded-md bg-sunken px-2 py-1 text-xs break-all text-ink">
                {command}
              </code>
            </li>
          ))}
        </ol>
      </ShownOnceDialog>
    );
  }
  const submit = () => {
    setTried(true);
    if (name.trim() !== '') create.mutate(name.trim());
  };
  return (
    <FormDialog
      title={text.addTitle}
      explain={<p>{text.addExplain}</p>}
      submit={text.addSubmit}
      pending={create.isPending}
      error={create.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        hint={text.nameHint}
        problem={isTried && name.trim() === '' ? text.nameMissing : null}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
