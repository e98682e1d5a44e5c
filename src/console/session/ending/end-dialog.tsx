import { texts } from '../../texts.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { EndDoubts, Ending } from './use-ending.ts';

const text = texts.session;

/** Asks before a session ends that other people watch, or while an app is being installed. */
export function EndDialog({ doubts, ending }: { doubts: EndDoubts; ending: Ending }) {
  return (
    <FormDialog
      title={text.endTitle}
      explain={
        <>
          {doubts.isInstalling && <p>{text.endInstalling}</p>}
          {doubts.watchLinks > 0 && <p>{text.endWatched(doubts.watchLinks)}</p>}
        </>
      }
      submit={text.end}
      danger
      pending={ending.isPending}
      error={ending.error}
      onSubmit={ending.confirm}
      onClose={ending.cancel}
    />
  );
}
