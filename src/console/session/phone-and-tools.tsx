import { lazy, Suspense, useRef, useState } from 'react';
import { useClient } from '../account/account.tsx';
import { errorSentence } from '../data/error-sentence.ts';
import { parseResolution } from '../devices/resolution.ts';
import { texts } from '../texts.ts';
import { copyAndSay } from '../ui/copy-and-say.ts';
import { FileDrop } from '../ui/file-drop.tsx';
import { toast } from '../ui/toasts.tsx';
import { ControlBar } from './control-bar.tsx';
import type { Installation } from './install/use-installation.ts';
import { PhoneScreen } from './phone-screen.tsx';
import { saveScreenshot } from './screenshot.ts';
import type { SessionView } from './session-view.ts';
import type { Control } from './use-control.ts';
import type { PhoneClipboard } from './use-session-notifications.ts';

const ToolsPanel = lazy(async () => ({ default: (await import('./tools/tools-panel.tsx')).ToolsPanel }));
const sayError = (error: unknown) => toast(errorSentence(error), { tone: 'bad' });

interface PhoneAndToolsProps {
  view: SessionView;
  stale: boolean;
  control: Control;
  installation: Installation;
  clipboard: PhoneClipboard;
  onHelp(): void;
}

/** The phone with its buttons, and beside it the tools while they are open. */
export function PhoneAndTools({ onHelp, ...props }: PhoneAndToolsProps) {
  const { view, control, installation, clipboard } = props;
  const [toolsOpen, setToolsOpen] = useState(false);
  const [overlay, setOverlay] = useState<HTMLDivElement | null>(null);
  const toClipboard = (text: string, paste: boolean) => {
    clipboard.sent.current = text;
    return control.call('clipboard.set', { text, paste });
  };
  return (
    <div className="flex min-h-0 grow max-md:flex-col">
      <main className="relative flex min-h-0 min-w-0 grow p-3 sm:p-5">
        <Phone
          {...props}
          overlay={setOverlay}
          onPaste={(pasted) => toClipboard(pasted, true).catch(sayError)}
          onHelp={onHelp}
          toolsOpen={toolsOpen}
          onTools={() => setToolsOpen(!toolsOpen)}
        />
        {control.can('app.install') && (
          <FileDrop
            title={texts.tools.apps.drop(view.name)}
            detail={texts.apps.dropDetail}
            onFiles={installation.installFiles}
          />
        )}
      </main>
      {toolsOpen && (
        <Suspense fallback={null}>
          <ToolsPanel
            sessionId={view.session.session_id}
            control={control}
            installation={installation}
            overlay={overlay}
            resolution={parseResolution(view.device?.resolution)}
            phoneClipboard={clipboard.phoneClipboard}
            toClipboard={toClipboard}
            onClose={() => setToolsOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface PhoneProps extends Pick<PhoneAndToolsProps, 'view' | 'stale' | 'control' | 'onHelp'> {
  overlay(element: HTMLDivElement | null): void;
  onPaste(text: string): void;
  toolsOpen: boolean;
  onTools(): void;
}

function Phone({ view, stale, control, overlay, onPaste, ...bar }: PhoneProps) {
  const { session, device, name } = view;
  const client = useClient();
  const keyboard = useRef<HTMLTextAreaElement>(null);
  return (
    <PhoneScreen
      name={name}
      streamUrl={session.stream_url}
      size={parseResolution(device?.resolution)}
      starting={session.status === 'connecting'}
      stale={stale}
      control={control}
      keyboard={keyboard}
      overlay={overlay}
      onPaste={onPaste}
    >
      <ControlBar
        control={control}
        onScreenshot={() => saveScreenshot(client, session.session_id, name).catch(sayError)}
        onCopyStream={() => void copyAndSay(session.stream_url, texts.session.streamCopied)}
        onKeyboard={() => keyboard.current?.focus()}
        onHelp={bar.onHelp}
        toolsOpen={bar.toolsOpen}
        onTools={bar.onTools}
      />
    </PhoneScreen>
  );
}
