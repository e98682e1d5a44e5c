import { useState } from 'react';
import type { Account } from '../../../contract/http/account.ts';
import { DisableIcon, EnableIcon, HistoryIcon, KeyIcon, MoreIcon, PencilIcon } from '../../icons.tsx';
import { navigate } from '../../router.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { accountAddress, adminAddress } from '../admin-address.ts';
import { useUpdateAccount } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { AccountDialog } from './account-dialog.tsx';

const text = adminTexts.accounts;

/** The actions that an operator can perform on an account in its current state. */
export function AccountActions({ account }: { account: Account }) {
  const [open, setOpen] = useState<'edit' | 'disable' | null>(null);
  // A copy of the account from when the dialog opened, so that updates do not change the form while the user types.
  const [chosen, setChosen] = useState(account);
  const update = useUpdateAccount();
  const show = (dialog: 'edit' | 'disable') => {
    setChosen(account);
    setOpen(dialog);
  };
  const enable = () =>
    update.mutate(
      { accountId: account.id, change: { disabled: false } },
      {
        onSuccess: ({ name }) => toast(text.enabledNow(name)),
        onError: (error) => toast(operatorSentence(error), { tone: 'bad' }),
      },
    );
  return (
    <div className="-my-2 md:flex md:justify-end">
      <Menu label={adminTexts.actionsFor(account.name)} icon={<MoreIcon />} side="bottom">
        <MenuItem icon={<PencilIcon />} onSelect={() => show('edit')}>
          {text.edit}
        </MenuItem>
        <MenuItem icon={<KeyIcon />} onSelect={() => navigate(accountAddress(account.id))}>
          {text.keys}
        </MenuItem>
        <MenuItem
          icon={<HistoryIcon />}
          onSelect={() => navigate(adminAddress('sessions', { account: account.id }))}
        >
          {text.sessionsOf}
        </MenuItem>
        {account.disabled_at === null ? (
          <MenuItem icon={<DisableIcon />} onSelect={() => show('disable')}>
            {text.disable}
          </MenuItem>
        ) : (
          <MenuItem icon={<EnableIcon />} onSelect={enable}>
            {text.enable}
          </MenuItem>
        )}
      </Menu>
      {open === 'edit' && <AccountDialog account={chosen} onClose={() => setOpen(null)} />}
      {open === 'disable' && <DisableDialog account={chosen} onClose={() => setOpen(null)} />}
    </div>
  );
}

function DisableDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const update = useUpdateAccount();
  const submit = () =>
    update.mutate(
      { accountId: account.id, change: { disabled: true } },
      {
        onSuccess: ({ name }) => {
          toast(text.disabledNow(name));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.disableTitle(account.name)}
      explain={text.disableExplain(account.live_sessions)}
      submit={text.disableSubmit}
      danger
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
