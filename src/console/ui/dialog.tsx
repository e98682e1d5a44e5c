import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { CloseIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { firstFocusOf, openerOf, returnFocus } from './dialog-focus.ts';

interface DialogProps {
  title: string;
  onClose(): void;
  /** Whether the dialog stays open on a click outside it, so that typed input is not lost. */
  isForm?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog that is open while it is mounted. It uses the browser's dialog element, which keeps the focus
 * inside, makes the rest of the page inert and closes on Escape. Unlike the dialogs of libraries, it adds no style
 * element, which a strict Content Security Policy would block.
 */
export function Dialog({ title, onClose, isForm = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A layout effect, because its cleanup runs while the dialog is still in the page.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const opener = openerOf(document.activeElement);
    element.showModal();
    firstFocusOf(element)?.focus();
    return () => {
      element.close();
      returnFocus(opener);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it; the key for that is Escape
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      // The event arrives later. React's double effects in development have opened the dialog again by then.
      onClose={() => {
        if (!dialog.current?.open) onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && !isForm && onClose()}
      className="appear m-auto w-[calc(100%-2rem)] max-w-md rounded-2xl border border-line bg-panel p-0 text-left text-body text-ink shadow-lift"
    >
      <div className="p-6">
        <div className="mb-3 flex items-start justify-between gap-4">
          <h2 id={heading} className="min-w-0 text-lg font-semibold break-words">
            {title}
          </h2>
          <button
            type="button"
            data-close
            onClick={onClose}
            aria-label={texts.help.close}
            className="-mt-1 -mr-2 grid size-control-sm shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
          >
            <CloseIcon />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
