import { useState } from 'react';
import type { Group } from '../../../contract/http/group.ts';
import { MoreIcon, PencilIcon, PhoneIcon, TrashIcon } from '../../icons.tsx';
import { navigate } from '../../router.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { groupTexts as text } from '../../texts/groups.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { adminAddress } from '../admin-address.ts';
import { useDeleteGroup } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { GroupDialog } from './group-dialog.tsx';

/** The actions that an operator can perform on a group in its current state. */
export function GroupActions({ group }: { group: Group }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  // A copy of the group from when the dialog opened, so that updates do not change the form while the user edits it.
  const [chosen, setChosen] = useState(group);
  const show = (dialog: 'edit' | 'delete') => {
    setChosen(group);
    setOpen(dialog);
  };
  return (
    <div className="-my-2 md:flex md:justify-end">
      <Menu label={adminTexts.actionsFor(group.name)} icon={<MoreIcon />} side="bottom">
        <MenuItem icon={<PencilIcon />} onSelect={() => show('edit')}>
          {text.edit}
        </MenuItem>
        <MenuItem
          icon={<PhoneIcon />}
          onSelect={() => navigate(adminAddress('devices', { group: group.id }))}
        >
          {text.phones}
        </MenuItem>
        <MenuItem icon={<TrashIcon />} onSelect={() => show('delete')}>
          {text.delete}
        </MenuItem>
      </Menu>
      {open === 'edit' && <GroupDialog group={chosen} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteDialog group={chosen} onClose={() => setOpen(null)} />}
    </div>
  );
}

function DeleteDialog({ group, onClose }: { group: Group; onClose(): void }) {
  const remove = useDeleteGroup();
  const submit = () =>
    remove.mutate(group.id, {
      onSuccess: () => {
        toast(text.deleted(group.name));
        onClose();
      },
    });
  if (group.devices > 0) {
    return (
      <Dialog title={text.deleteTitle(group.name)} onClose={onClose}>
        <p className="text-soft">{text.deleteNotYet(group.devices)}</p>
        <div className="mt-5 flex justify-end">
          <ButtonLink look="primary" href={adminAddress('devices', { group: group.id })}>
            {text.showPhones}
          </ButtonLink>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={text.deleteTitle(group.name)}
      explain={text.deleteExplain}
      submit={text.deleteSubmit}
      danger
      pending={remove.isPending}
      error={remove.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
