import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { copyToClipboard } from './copy-to-clipboard.ts';
import { Dialog } from './dialog.tsx';
import { Labelled } from './field.tsx';
import { FIELD } from './select.tsx';

interface ShownOnceTexts {
  /** That the secret is not shown again. */
  once: string;
  field: string;
  copy: string;
  copied: string;
  close: string;
  /** What to do if the response with the secret was lost. */
  lost: string;
}

interface ShownOnceDialogProps {
  title: string;
  /** null: the response that contained it was lost. */
  secret: string | null;
  texts: ShownOnceTexts;
  onClose(): void;
  /** What to do with the secret. */
  children?: ReactNode;
}

/** Shows a secret that is not shown again. For that reason only the dialog's buttons close it. */
export function ShownOnceDialog({ title, secret, texts, onClose, children }: ShownOnceDialogProps) {
  if (secret === null) {
    return (
      <Dialog title={title} onClose={onClose} isForm>
        <p role="alert">{texts.lost}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={onClose} isForm>
      <div className="space-y-5">
        <p role="status" className="rounded-lg bg-warn-tint px-3.5 py-2.5 text-sm text-warn">
          {texts.once}
        </p>
        <Labelled label={texts.field}>
          {({ field }) => (
            <input
              id={field}
              readOnly
              value={secret}
              onFocus={(event) => event.target.select()}
              className={`${FIELD} border-edge px-2.5 font-mono text-xs`}
            />
          )}
        </Labelled>
        {children}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {texts.close}
          </Button>
          <Button look="primary" onClick={() => void copyToClipboard(secret, texts.copied)}>
            {texts.copy}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
