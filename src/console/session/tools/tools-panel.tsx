import type { PhoneMethod } from '../../../contract/sockets/control-methods.ts';
import { CloseIcon } from '../../icons.tsx';
import { texts } from '../../texts.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AppsTool } from './apps-tool.tsx';
import { CapturesTool } from './captures-tool.tsx';
import { ClipboardTool } from './clipboard-tool.tsx';
import { DeviceTool } from './device/device-tool.tsx';
import { FilesTool } from './files/files-tool.tsx';
import { LocationTool } from './location-tool.tsx';
import { LogTool } from './log/log-tool.tsx';
import { ScreenTool } from './screen/screen-tool.tsx';
import { ShellTool } from './shell/shell-tool.tsx';
import type { ToolProps } from './tool-props.ts';
import { isDocked, type Tools, useToolsColumn } from './tools-layout.ts';
import { UrlTool } from './url-tool.tsx';

const text = texts.tools;

type ToolId = keyof typeof text.tabs;

/** A tool is offered if the phone supports at least one of these methods, or if it needs none. */
const TOOLS: readonly { id: ToolId; needs: readonly PhoneMethod[] }[] = [
  { id: 'apps', needs: ['app.install', 'app.list'] },
  { id: 'clipboard', needs: ['clipboard.set', 'clipboard.get'] },
  { id: 'url', needs: ['open_url'] },
  { id: 'log', needs: ['log.start'] },
  { id: 'screen', needs: ['ui.tree'] },
  { id: 'location', needs: ['location.set'] },
  { id: 'shell', needs: ['shell'] },
  { id: 'files', needs: [] },
  { id: 'captures', needs: [] },
  { id: 'device', needs: [] },
];

/** The tools for a phone. */
export function ToolsPanel({ tools, ...props }: ToolProps & { tools: Tools }) {
  const { capabilities } = props.control.state;
  const isColumn = useToolsColumn();
  const offered = TOOLS.filter(
    ({ id, needs }) =>
      capabilities.length > 0 &&
      (needs.length === 0 || needs.some((method) => capabilities.includes(method))) &&
      !(id === 'log' && isDocked(tools, isColumn)),
  );
  const current = offered.find(({ id }) => id === tools.layout.tab) ?? offered[0];
  return (
    <>
      <div className="flex shrink-0 items-center justify-between pt-1.5 pr-1.5 pl-4">
        <h2 className="font-semibold">{text.title}</h2>
        <IconButton label={text.close} icon={<CloseIcon />} side="left" onClick={tools.toggle} size="small" />
      </div>
      {current ? (
        <Tabs<ToolId>
          label={text.title}
          tabs={offered.map(({ id }) => ({ id, label: text.tabs[id] }))}
          current={current.id}
          onChange={(tab) => tools.change({ tab })}
        >
          {current.id === 'apps' && <AppsTool {...props} />}
          {current.id === 'clipboard' && <ClipboardTool {...props} />}
          {current.id === 'url' && <UrlTool control={props.control} />}
          {current.id === 'log' && (
            <LogTool
              log={props.log}
              name={props.name}
              tools={tools}
              onDock={isColumn ? () => tools.change({ logDocked: true }) : null}
            />
          )}
          {current.id === 'screen' && <ScreenTool {...props} />}
          {current.id === 'location' && <LocationTool control={props.control} />}
          {current.id === 'shell' && <ShellTool control={props.control} shell={props.shell} />}
          {current.id === 'files' && (
            <FilesTool
              sessionId={props.sessionId}
              pushes={props.pushes}
              isReady={props.control.state.phase === 'ready'}
            />
          )}
          {current.id === 'captures' && <CapturesTool sessionId={props.sessionId} />}
          {current.id === 'device' && <DeviceTool {...props} />}
        </Tabs>
      ) : (
        <p className="p-4 text-sm text-soft">
          {props.control.state.phase === 'ready' ? text.nothing : text.notReady}
        </p>
      )}
    </>
  );
}
