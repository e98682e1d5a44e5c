import { texts } from '../../../texts.ts';
import { Resizer } from '../../../ui/resizer.tsx';
import { DOCK_SHARES } from '../tools-layout.ts';
import { LogTool, type LogToolProps } from './log-tool.tsx';

const text = texts.tools.log;

/** The phone's log below the phone and the tools, as wide as the window. */
export function LogDock(props: LogToolProps) {
  const { layout, change } = props.tools;
  return (
    <section
      aria-label={text.dockLabel}
      style={{ height: `${layout.dockShare * 100}%` }}
      className="relative flex min-h-0 shrink-0 flex-col border-t border-line bg-panel"
    >
      <Resizer
        label={text.resize}
        orientation="horizontal"
        value={layout.dockShare}
        {...DOCK_SHARES}
        step={0.05}
        valueAt={({ clientY, currentTarget }) => {
          const whole = currentTarget.parentElement?.parentElement?.getBoundingClientRect();
          return whole ? (whole.bottom - clientY) / whole.height : layout.dockShare;
        }}
        onChange={(dockShare) => change({ dockShare })}
      />
      <LogTool {...props} />
    </section>
  );
}
