import { DurationPicker } from '../devices/duration-picker.tsx';
import { useDuration } from '../devices/use-duration.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { PALETTE_SHORTCUT, shortcutText } from '../ui/shortcut.ts';
import { KeyTable } from './key-table.tsx';
import { SHORTCUTS } from './toolbar/shortcuts.ts';

const text = texts.session;
const USUAL_EXTENSION = 15;

interface ExtendDialogProps {
  /** Minutes that the session has already. */
  reserved: number;
  busy: boolean;
  error: unknown;
  onExtend(minutes: number): void;
  onClose(): void;
}

export function ExtendDialog({ reserved, busy, error, onExtend, onClose }: ExtendDialogProps) {
  const duration = useDuration(USUAL_EXTENSION, reserved);
  const { minutes } = duration;
  return (
    <FormDialog
      title={text.extendTitle}
      explain={text.extendExplain}
      submit={minutes === null ? text.extend : text.extendSubmit(minutes)}
      disabled={minutes === null}
      pending={busy}
      error={error}
      onSubmit={() => minutes !== null && onExtend(minutes)}
      onClose={onClose}
    >
      <DurationPicker duration={duration} />
    </FormDialog>
  );
}

/** The shortcuts of the page, and what the mouse and the keyboard do on the phone. */
export function HelpDialog({ onClose }: { onClose(): void }) {
  const keys = Object.values(SHORTCUTS).map(([key, label]) => [shortcutText(key), label] as const);
  return (
    <Dialog title={texts.help.title} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too */}
      <div tabIndex={0} className="-m-1 max-h-[70dvh] overflow-y-auto p-1">
        <h3 className="mb-2.5 text-sm font-semibold">{texts.help.onPhone}</h3>
        <KeyTable rows={texts.help.rows} />
        <h3 className="mt-5 mb-2.5 text-sm font-semibold">{texts.help.shortcuts}</h3>
        <KeyTable rows={[[PALETTE_SHORTCUT, texts.help.palette], ['?', texts.help.thisHelp], ...keys]} />
      </div>
    </Dialog>
  );
}
