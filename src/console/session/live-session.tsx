import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorSentence } from '../data/error-sentence.ts';
import { useExtend } from '../data/queries.ts';
import { useCommands } from '../palette/commands.ts';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';
import { EndDialog } from './ending/end-dialog.tsx';
import { useEnding } from './ending/use-ending.ts';
import { InstallNotice } from './install/install-notice.tsx';
import { useInstallation } from './install/use-installation.ts';
import { ExpiryNotice } from './notices.tsx';
import { PhoneAndTools } from './phone-and-tools.tsx';
import { ExtendDialog, HelpDialog } from './session-dialogs.tsx';
import { SessionHeader } from './session-header.tsx';
import type { SessionView } from './session-view.ts';
import { ShareDialog } from './sharing/share-dialog.tsx';
import { type Control, useControl, useNotifications } from './use-control.ts';
import { useFullscreen } from './use-fullscreen.ts';
import { usePhoneClipboard } from './use-phone-clipboard.ts';
import { useSessionKeys } from './use-session-keys.ts';

const text = texts.session;
const showError = (error: unknown) => toast(errorSentence(error), { tone: 'bad' });

interface LiveSessionProps {
  view: SessionView;
  /** Whether the service has stopped responding. */
  inDoubt: boolean;
  detail: string;
}

export function LiveSession({ view, inDoubt, detail }: LiveSessionProps) {
  const { session, name } = view;
  const [dialog, setDialog] = useState<'extend' | 'help' | 'share' | null>(null);
  const fullscreen = useFullscreen();
  const control = useControl(session.control_url);
  const notifications = useSessionNotifications(session.session_id, control);
  const clipboard = usePhoneClipboard(control);
  const installation = useInstallation(session, control);
  const extend = useExtend(session.session_id);
  const end = useEnding(session, installation);
  useSessionKeys(() => setDialog('help'));

  useCommands('session', [
    { id: 'extend', group: texts.palette.session, label: text.extend, run: () => setDialog('extend') },
    { id: 'end', group: texts.palette.session, label: text.end, run: end.request },
  ]);
  const extendBy = (minutes: number) =>
    extend.mutate(minutes, {
      onSuccess: () => {
        setDialog(null);
        toast(text.extended(minutes));
      },
      onError: (error) => dialog === null && showError(error),
    });
  return (
    <div className="flex h-dvh flex-col">
      {!fullscreen.isOn && (
        <SessionHeader
          session={session}
          name={name}
          detail={detail}
          ending={end.isPending}
          onExtend={() => setDialog('extend')}
          onEnd={end.request}
        />
      )}
      <PhoneAndTools
        view={view}
        inDoubt={inDoubt}
        control={control}
        installation={installation}
        clipboard={clipboard}
        fullscreen={fullscreen}
        notices={
          <>
            <ExpiryNotice
              expiresAt={session.expires_at}
              warned={notifications.warned}
              extending={extend.isPending}
              onExtend={extendBy}
              onDismiss={notifications.dismiss}
            />
            <InstallNotice installation={installation} />
          </>
        }
        onShare={() => setDialog('share')}
        onHelp={() => setDialog('help')}
      />
      {dialog === 'extend' && (
        <ExtendDialog
          reserved={session.minutes_reserved}
          busy={extend.isPending}
          error={extend.error}
          onExtend={extendBy}
          onClose={() => setDialog(null)}
        />
      )}
      {end.doubts && <EndDialog doubts={end.doubts} ending={end} />}
      {dialog === 'share' && <ShareDialog session={session} name={name} onClose={() => setDialog(null)} />}
      {dialog === 'help' && <HelpDialog onClose={() => setDialog(null)} />}
    </div>
  );
}

/** Handles the service's notifications about the session itself. */
function useSessionNotifications(sessionId: string, control: Control) {
  const cache = useQueryClient();
  const [warned, setWarned] = useState(false);
  const refresh = () => void cache.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
  useNotifications(control, ({ method }) => {
    if (method === 'session.expiring') setWarned(true);
    if (method === 'session.ready' || method === 'session.extended' || method === 'session.ended') refresh();
  });
  return { warned, dismiss: () => setWarned(false) };
}
