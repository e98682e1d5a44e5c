import { useState } from 'react';
import type { User } from '../../../contract/http/user.ts';
import { DisableIcon, EnableIcon, HistoryIcon, MoreIcon } from '../../icons.tsx';
import { navigate } from '../../router.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { adminAddress } from '../admin-address.ts';
import { useDisableUser, useEnableUser } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

const text = adminTexts.users;

/** The actions that an operator can perform on a user in their current state. */
export function UserActions({ user }: { user: User }) {
  const [isLeaving, setLeaving] = useState(false);
  const enable = useEnableUser();
  const letIn = () =>
    enable.mutate(user.id, {
      onSuccess: ({ name }) => toast(text.enabledNow(name)),
      onError: (error) => toast(operatorSentence(error), { tone: 'bad' }),
    });
  return (
    <div className="-my-2 md:flex md:justify-end">
      <Menu label={adminTexts.actionsFor(user.name)} icon={<MoreIcon />} side="bottom">
        <MenuItem
          icon={<HistoryIcon />}
          onSelect={() => navigate(adminAddress('sessions', { account: user.account.id }))}
        >
          {text.sessionsOf}
        </MenuItem>
        {user.disabled_at === null ? (
          <MenuItem icon={<DisableIcon />} onSelect={() => setLeaving(true)}>
            {text.disable}
          </MenuItem>
        ) : (
          <MenuItem icon={<EnableIcon />} onSelect={letIn}>
            {text.enable}
          </MenuItem>
        )}
      </Menu>
      {isLeaving && <DisableDialog user={user} onClose={() => setLeaving(false)} />}
    </div>
  );
}

function DisableDialog({ user, onClose }: { user: User; onClose(): void }) {
  const disable = useDisableUser();
  const submit = () =>
    disable.mutate(user.id, {
      onSuccess: ({ name }) => {
        toast(text.disabledNow(name));
        onClose();
      },
    });
  return (
    <FormDialog
      title={text.disableTitle(user.name)}
      explain={text.disableExplain}
      submit={text.disableSubmit}
      danger
      pending={disable.isPending}
      error={disable.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
