import { type ReactNode, useRef, useState } from 'react';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { useClient } from '../account/account.tsx';
import { mayBeApp } from '../apps/app-files.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { parseResolution } from '../devices/resolution.ts';
import { useCommands } from '../palette/commands.ts';
import { texts } from '../texts.ts';
import { FileDrop } from '../ui/file-drop.tsx';
import { late } from '../ui/late.tsx';
import { toast } from '../ui/toasts.tsx';
import { captures } from './captures/capture-list.ts';
import type { Installation } from './install/use-installation.ts';
import { ConnectionNotice, NoticeStack } from './notices.tsx';
import { overlayMessage } from './overlay-message.ts';
import { acceptsInput, PhoneScreen } from './phone-screen.tsx';
import { RecordingSign } from './recording/recording-sign.tsx';
import { useRecording } from './recording/use-recording.ts';
import { fileNameNow, saveFile } from './save-file.ts';
import { FloatingTimeLeft } from './session-header.tsx';
import type { SessionView } from './session-view.ts';
import { StatisticsPanel } from './statistics/statistics-panel.tsx';
import { ControlBar } from './toolbar/control-bar.tsx';
import { DOWNLOAD, useFilePushes } from './tools/files/use-file-pushes.ts';
import { useLog } from './tools/log/use-log.ts';
import type { ShellEntry } from './tools/shell/shell-history.ts';
import { ToolsAside } from './tools/tools-aside.tsx';
import { isDocked, useToolsColumn, useToolsLayout } from './tools/tools-layout.ts';
import type { Control } from './use-control.ts';
import type { Fullscreen } from './use-fullscreen.ts';
import type { PhoneClipboard } from './use-phone-clipboard.ts';
import { useScreen } from './use-screen.ts';
import { WebDriverCommands } from './webdriver-commands.tsx';

const ToolsPanel = late({
  load: async () => (await import('./tools/tools-panel.tsx')).ToolsPanel,
  frame: ({ children }) => <div className="overflow-y-auto">{children}</div>,
});
const LogDock = late({
  load: async () => (await import('./tools/log/log-dock.tsx')).LogDock,
  frame: ({ children }) => <div className="border-t border-line bg-panel">{children}</div>,
});
const showError = (error: unknown) => toast(errorSentence(error), { tone: 'bad' });

interface PhoneAndToolsProps {
  view: SessionView;
  /** Whether the service has stopped responding, so the data shown may be outdated. */
  inDoubt: boolean;
  control: Control;
  installation: Installation;
  clipboard: PhoneClipboard;
  fullscreen: Fullscreen;
  /** Notices about the session, shown over the stage. */
  notices: ReactNode;
  onShare(): void;
  onHelp(): void;
}

/** The phone with its buttons, and the tools beside it while they are open. */
export function PhoneAndTools(props: PhoneAndToolsProps) {
  const { view, control, installation, clipboard } = props;
  const tools = useToolsLayout();
  const isColumn = useToolsColumn();
  const hasDock = isDocked(tools, isColumn) && control.state.capabilities.includes('log.start');
  const log = useLog(control, tools.isOpen || hasDock);
  const shell = useState<readonly ShellEntry[]>([]);
  const pushes = useFilePushes(view.session.session_id);
  const [overlay, setOverlay] = useState<HTMLDivElement | null>(null);
  const openTool = (tab: string) => {
    tools.change({ tab });
    if (!tools.isOpen) tools.toggle();
  };
  const tabs = Object.entries(texts.tools.tabs);
  useCommands(
    'tools',
    tabs.map(([id, label]) => ({
      ...{ id: `tool ${id}`, group: texts.palette.tool, label },
      run: () => openTool(id),
    })),
  );
  // Files that are dropped while the list of files is shown are copied to its folder, apps included.
  const showsFiles = tools.isOpen && tools.layout.tab === 'files';
  const installOrPush = async (files: readonly File[]) => {
    const areApps = await Promise.all(files.map(mayBeApp));
    const apps = files.filter((_, index) => areApps[index]);
    if (apps.length > 0) installation.installFiles(apps);
    pushes.add(
      files.filter((_, index) => !areApps[index]),
      DOWNLOAD,
    );
  };
  const undock = () => {
    tools.change({ logDocked: false });
    openTool('log');
  };
  return (
    <div className="flex min-h-0 grow flex-col">
      <div className={`flex min-h-0 grow ${isColumn ? '' : 'flex-col'}`}>
        <main className="@container relative flex min-h-0 min-w-0 grow p-3 sm:p-5 sm:pb-6 [@media(max-height:30rem)]:p-2">
          <Phone {...props} overlay={setOverlay} toolsOpen={tools.isOpen} onTools={tools.toggle} />
          {props.fullscreen.isOn && <FloatingTimeLeft expiresAt={view.session.expires_at} name={view.name} />}
          {control.can('app.install') && (
            <FileDrop
              {...(showsFiles
                ? { title: texts.tools.files.dropInto(pushes.folder), detail: '' }
                : { title: texts.tools.files.drop(view.name), detail: texts.tools.files.dropDetail })}
              onFiles={(files) => (showsFiles ? pushes.add(files) : void installOrPush(files))}
            />
          )}
        </main>
        <WebDriverCommands session={view.session} />
        {tools.isOpen && (
          <ToolsAside layout={tools.layout} onChange={tools.change}>
            <ToolsPanel
              sessionId={view.session.session_id}
              name={view.name}
              device={view.device}
              log={log}
              shell={shell}
              control={control}
              installation={installation}
              pushes={pushes}
              overlay={overlay}
              resolution={parseResolution(view.device?.resolution)}
              phoneClipboard={clipboard.phoneClipboard}
              toClipboard={clipboard.toClipboard}
              tools={tools}
            />
          </ToolsAside>
        )}
      </div>
      {hasDock && <LogDock log={log} name={view.name} tools={tools} onDock={undock} />}
    </div>
  );
}

interface PhoneProps extends Omit<PhoneAndToolsProps, 'installation'> {
  overlay(element: HTMLDivElement | null): void;
  toolsOpen: boolean;
  onTools(): void;
}

function Phone({ view, inDoubt, control, clipboard, notices, overlay, onShare, onHelp, ...bar }: PhoneProps) {
  const { session, device, name } = view;
  const client = useClient();
  const canvas = useRef<HTMLCanvasElement>(null);
  const keyboard = useRef<HTMLTextAreaElement>(null);
  const screen = useScreen(canvas, session.stream_url, { inDoubt, isSilent: control.isSilent });
  const recording = useRecording(screen.player, control.requestKeyframe, session);
  const [typing, setTyping] = useState(false);
  const [scale, setScale] = useState<'fit' | 'actual'>('fit');
  const [statistics, setStatistics] = useState(false);
  const starting = session.status === 'connecting';
  const isExplained = overlayMessage(screen.phase, { starting, silent: control.isSilent }) !== null;
  const more = {
    actualSize: scale === 'actual',
    onActualSize: () => setScale(scale === 'actual' ? 'fit' : 'actual'),
    statistics,
    onStatistics: () => setStatistics(!statistics),
    onShare,
    onHelp,
  };
  return (
    <>
      <PhoneScreen
        name={name}
        canvas={canvas}
        screen={screen}
        size={parseResolution(device?.resolution)}
        starting={starting}
        scale={scale}
        control={control}
        keyboard={keyboard}
        overlay={overlay}
        onPaste={clipboard.paste}
        onCopy={clipboard.copied}
        onTyping={setTyping}
        bar={(space) => (
          <ControlBar
            {...bar}
            {...space}
            control={control}
            keyboard={keyboard}
            typing={typing}
            recording={recording}
            more={more}
            onScreenshot={() => saveScreenshot(client, session.session_id, name).catch(showError)}
          />
        )}
      />
      {acceptsInput(control, screen) && <Hint typing={typing} />}
      <NoticeStack>
        {!isExplained && <ConnectionNotice control={control} inDoubt={inDoubt} />}
        {notices}
        <RecordingSign recording={recording} />
        {statistics && (
          <StatisticsPanel screen={screen} control={control} onClose={() => setStatistics(false)} />
        )}
      </NoticeStack>
    </>
  );
}

/** A one-line usage hint below the phone, shown if there is a mouse and enough space. */
function Hint({ typing }: { typing: boolean }) {
  return (
    <p className="absolute inset-x-4 bottom-1 truncate text-center text-xs text-soft max-md:hidden pointer-coarse:hidden [@media(max-height:30rem)]:hidden">
      {typing ? texts.session.typing : texts.session.hint}
    </p>
  );
}

/** Saves the phone's screen as a PNG file, and keeps it in the gallery of the session. */
async function saveScreenshot(client: PhoneboothClient, sessionId: string, name: string): Promise<void> {
  const [file, fileName] = [await client.screenshot(sessionId), fileNameNow(name, '.png')];
  captures.add({ sessionId, kind: 'image', name: fileName, file });
  saveFile(file, fileName);
}
