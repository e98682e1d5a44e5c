import { KeyTable } from '../session/key-table.tsx';
import { replayTexts as text } from '../texts/replay.ts';
import { Dialog } from '../ui/dialog.tsx';

/** The keyboard shortcuts of the player. */
export function ReplayHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={text.shortcuts} onClose={onClose}>
      <KeyTable rows={text.keys} />
    </Dialog>
  );
}
