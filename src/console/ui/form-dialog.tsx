import type { FormEvent, ReactNode } from 'react';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './message.tsx';

interface FormDialogProps {
  title: string;
  /** Explains what happens on submit. */
  explain?: ReactNode;
  submit: string;
  /** Whether submitting ends or removes something. */
  danger?: boolean;
  /** Whether the entered values cannot be submitted. */
  disabled?: boolean;
  pending: boolean;
  error: unknown;
  /** Formats the error. The default is the general error text of the console. */
  sentence?: (error: unknown) => string;
  onSubmit(): void;
  onClose(): void;
  children?: ReactNode;
}

/**
 * A dialog that asks for confirmation before an action. It stays open, with everything that was typed, until the
 * service accepts the request.
 */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    explain,
    submit,
    danger = false,
    disabled = false,
    pending,
    error,
    onClose,
    children,
  } = props;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!pending && !disabled) props.onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} isForm>
      <form onSubmit={send} noValidate className="space-y-5">
        {explain && <div className="space-y-2 text-soft">{explain}</div>}
        {children}
        <ErrorNote error={error} sentence={props.sentence ?? errorSentence} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" data-cancels-danger={danger || undefined} onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={disabled} busy={pending}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
