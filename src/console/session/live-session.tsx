import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ControlNotification } from '../../contract/control-methods.ts';
import { useClient } from '../account/account.tsx';
import { errorSentence } from '../data/error-sentence.ts';
import { useDisconnect, useExtend } from '../data/queries.ts';
import { parseResolution } from '../devices/resolution.ts';
import { texts } from '../texts.ts';
import { copyText } from '../ui/copy-text.ts';
import { toast } from '../ui/toasts.tsx';
import { ControlBar } from './control-bar.tsx';
import { ControlNotice, ExpiryNotice, StaleNotice } from './notices.tsx';
import { PhoneScreen } from './phone-screen.tsx';
import { saveScreenshot } from './screenshot.ts';
import { ExtendDialog, HelpDialog } from './session-dialogs.tsx';
import { SessionHeader } from './session-header.tsx';
import type { SessionView } from './session-view.ts';
import { useControl } from './use-control.ts';

const text = texts.session;
const sayError = (error: unknown) => toast(errorSentence(error), { tone: 'bad' });

async function copy(value: string, done: string): Promise<void> {
  const copied = await copyText(value);
  toast(copied ? done : text.copyFailed, { tone: copied ? 'plain' : 'bad' });
}

/** What the phone and the service tell during a session, and what follows from it. */
function useNotifications(sessionId: string) {
  const cache = useQueryClient();
  const [warned, setWarned] = useState(false);
  const pasted = useRef<string | null>(null);
  const refresh = () => void cache.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
  const onNotification = ({ method, params }: ControlNotification) => {
    if (method === 'session.expiring') setWarned(true);
    if (method === 'session.ready' || method === 'session.extended' || method === 'session.ended') refresh();
    if (method !== 'clipboard.changed') return;
    // The phone tells of our own paste as well.
    if (params.text === '' || params.text === pasted.current) return;
    const run = () => void copy(params.text, text.copied);
    toast(text.copiedOnPhone, { action: { label: text.copyHere, run } });
  };
  return { warned, dismiss: () => setWarned(false), pasted, onNotification };
}

export function LiveSession({ view, stale, detail }: { view: SessionView; stale: boolean; detail: string }) {
  const { session, device, name } = view;
  const client = useClient();
  const [dialog, setDialog] = useState<'extend' | 'help' | null>(null);
  const keyboard = useRef<HTMLTextAreaElement>(null);
  const notifications = useNotifications(session.session_id);
  const control = useControl(session.control_url, notifications.onNotification);
  const extend = useExtend(session.session_id);
  const disconnect = useDisconnect(session.session_id);

  const extendBy = (minutes: number) =>
    extend.mutate(minutes, {
      onSuccess: () => {
        setDialog(null);
        toast(text.extended(minutes));
      },
      onError: (error) => dialog === null && sayError(error),
    });
  const paste = (pasted: string) => {
    notifications.pasted.current = pasted;
    control.run('clipboard.set', { text: pasted, paste: true });
  };
  return (
    <div className="flex h-dvh flex-col">
      <SessionHeader
        session={session}
        name={name}
        detail={detail}
        disconnecting={disconnect.isPending}
        onExtend={() => setDialog('extend')}
        onDisconnect={() => disconnect.mutate(undefined, { onError: sayError })}
      />
      <StaleNotice shown={stale} />
      <ControlNotice control={control} />
      <ExpiryNotice
        expiresAt={session.expires_at}
        warned={notifications.warned}
        extending={extend.isPending}
        onExtend={extendBy}
        onDismiss={notifications.dismiss}
      />
      <main className="flex min-h-0 grow p-3 sm:p-5">
        <PhoneScreen
          name={name}
          streamUrl={session.stream_url}
          size={parseResolution(device?.resolution)}
          starting={session.status === 'connecting'}
          stale={stale}
          control={control}
          keyboard={keyboard}
          onPaste={paste}
        >
          <ControlBar
            control={control}
            onScreenshot={() => saveScreenshot(client, session.session_id, name).catch(sayError)}
            onCopyStream={() => void copy(session.stream_url, text.streamCopied)}
            onKeyboard={() => keyboard.current?.focus()}
            onHelp={() => setDialog('help')}
          />
        </PhoneScreen>
      </main>
      {dialog === 'extend' && (
        <ExtendDialog
          busy={extend.isPending}
          error={extend.error}
          onExtend={extendBy}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'help' && <HelpDialog onClose={() => setDialog(null)} />}
    </div>
  );
}
