import type { FormEvent } from 'react';
import { DurationPicker } from '../devices/duration-picker.tsx';
import { useDuration } from '../devices/use-duration.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/message.tsx';
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (minutes !== null && !busy) onExtend(minutes);
  };
  return (
    <Dialog title={text.extendTitle} onClose={onClose}>
      <form onSubmit={submit} className="space-y-5">
        <p className="text-soft">{text.extendExplain}</p>
        <DurationPicker duration={duration} />
        <ErrorNote error={error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {texts.connect.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={minutes === null} busy={busy}>
            {minutes === null ? text.extend : text.extendSubmit(minutes)}
          </Button>
        </div>
      </form>
    </Dialog>
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
