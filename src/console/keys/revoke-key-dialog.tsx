import type { Key } from '../../contract/http/key.ts';
import { browserSession } from '../account/browser-session.ts';
import { keyTexts as text } from '../texts/keys.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { type KeyOwner, useRevokeKey } from './key-queries.ts';

interface RevokeKeyDialogProps {
  owner: KeyOwner;
  apiKey: Key;
  /** Number of live sessions of the key's account. */
  liveSessions: number;
  onClose(): void;
}

export function RevokeKeyDialog({ owner, apiKey, liveSessions, onClose }: RevokeKeyDialogProps) {
  const revoke = useRevokeKey(owner);
  const submit = () =>
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        toast(text.revokedNow(apiKey.name));
        if (apiKey.current) browserSession.leave();
        else onClose();
      },
    });
  return (
    <FormDialog
      title={text.revokeTitle(apiKey.name)}
      explain={
        <>
          <p>{text.revokeExplain(apiKey.prefix)}</p>
          <p>{text.revokeLive(liveSessions)}</p>
        </>
      }
      submit={text.revoke}
      danger
      pending={revoke.isPending}
      error={revoke.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {apiKey.current && (
        <p role="alert" className="rounded-lg bg-warn-tint px-3.5 py-2.5 text-sm text-warn">
          {text.revokeCurrent}
        </p>
      )}
    </FormDialog>
  );
}
