import { UploadList } from '../../apps/upload-list.tsx';
import { CloseIcon } from '../../icons.tsx';
import { texts } from '../../texts.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Notice } from '../notices.tsx';
import type { Installation } from './use-installation.ts';

const text = texts.apps;

/** Shows the progress of an app's installation on the phone, or why it failed. */
export function InstallNotice({ installation }: { installation: Installation }) {
  const { current, uploads, dismiss } = installation;
  const name = current?.app?.name ?? text.anApp;
  return (
    <>
      <UploadList uploads={uploads} className="pointer-events-auto w-full" />
      {(current?.state === 'pending' || current?.state === 'installing') && (
        <Notice tone="calm">
          <div className="w-full">
            <p className="tabular-nums">
              {current.state === 'pending' ? text.pending(name) : text.installing(name, current.percent)}
            </p>
            <ProgressBar
              label={text.installing(name, null)}
              value={current.percent === null ? null : current.percent / 100}
            />
          </div>
        </Notice>
      )}
      {current?.state === 'failed' && (
        <Notice tone="bad">
          <p className="min-w-0 grow basis-0">
            <strong className="font-semibold">{text.installFailed(name)}</strong>{' '}
            {current.error && <q className="break-words">{current.error}</q>} {text.installFailedStep}
          </p>
          <button
            type="button"
            aria-label={texts.session.dismiss}
            onClick={dismiss}
            className="grid size-control-sm place-items-center rounded-lg"
          >
            <CloseIcon />
          </button>
        </Notice>
      )}
    </>
  );
}
