import { Fragment, type ReactNode } from 'react';
import { type Command, useCommands } from '../../palette/commands.ts';
import { texts } from '../../texts.ts';
import { shortcutText } from '../../ui/shortcut.ts';
import { Toolbar, ToolbarButton } from '../../ui/toolbar.tsx';
import type { Control } from '../use-control.ts';
import type { Size } from '../use-fit.ts';
import { MoreMenu, type MoreMenuProps } from './more-menu.tsx';
import {
  ACTION_GROUPS,
  fewActions,
  LEAVING_ACTIONS,
  type PhoneAction,
  type PhoneActionsInput,
  phoneActions,
  type Typing,
} from './phone-actions.tsx';
import { planToolbar } from './toolbar-plan.ts';
import { useShortcuts } from './use-shortcuts.ts';

const text = texts.controls;
const LOOK = 'rounded-2xl border border-line bg-panel p-1.5 shadow-card';

export interface ControlBarProps extends PhoneActionsInput {
  more: Omit<MoreMenuProps, 'side' | 'overflow'>;
  /** The space for the phone and the bar, in CSS pixels. */
  room: Size;
  /** Whether the bar is a column beside the phone, and not a row below it. */
  beside: boolean;
}

/**
 * The phone's buttons and the console's own actions: one or two columns beside the phone, or a row below it. The
 * buttons for which there is no room are in its menu.
 */
export function ControlBar({ more, room, beside, ...input }: ControlBarProps) {
  const actions: Record<string, PhoneAction> = phoneActions(input);
  useShortcuts(Object.values(actions), input.keyboard);
  useCommands('phone', commandsOf(actions, more));
  const { columns, size, groups, overflow } = planToolbar({
    room: beside ? room.height : room.width,
    direction: beside ? 'column' : 'row',
    groups: ACTION_GROUPS.map((group) => group.filter((id) => id === 'more' || actions[id])),
    leaving: LEAVING_ACTIONS,
  });
  const side = beside ? 'left' : 'top';
  return (
    <Toolbar
      label={text.label}
      className={`${LOOK} ${beside ? 'flex flex-col' : 'flex'} ${size === 'small' ? '[&_button]:size-control-sm' : ''}`}
    >
      {groups.map((group, at) => (
        <Fragment key={group[0]}>
          {at > 0 && <Divider beside={beside} />}
          <div className={beside ? `grid ${columns === 2 ? 'grid-cols-2' : ''}` : 'flex'}>
            {group.map((id) => {
              const action = actions[id];
              return action ? (
                <ActionButton key={id} action={action} side={side} />
              ) : (
                <MoreMenu
                  key={id}
                  {...more}
                  side={side}
                  overflow={overflow.flatMap((other) => actions[other] ?? [])}
                />
              );
            })}
          </div>
        </Fragment>
      ))}
    </Toolbar>
  );
}

/** The same actions, and those of the menu, for the command palette. */
function commandsOf(actions: Record<string, PhoneAction>, more: ControlBarProps['more']): Command[] {
  const group = texts.palette.session;
  const ofMenu: [string, () => void][] = [
    [text.actualSize, more.onActualSize],
    [text.statistics, more.onStatistics],
    [text.share, more.onShare],
    [text.help, more.onHelp],
  ];
  return [
    ...Object.entries(actions).map(([id, { label, shortcut, disabled = false, run }]) => ({
      ...{ id, group, label, disabled, run },
      ...(shortcut !== undefined && { hint: shortcutText(shortcut) }),
    })),
    ...ofMenu.map(([label, run]) => ({ id: label, group, label, run })),
  ];
}

/** The most important buttons, in a row below a phone that is shown beside others. */
export function SmallControlBar({ control, ...typing }: Typing & { control: Control }): ReactNode {
  return (
    <Toolbar label={text.label} className="flex">
      {Object.entries(fewActions(control, typing)).map(([id, { shortcut: _, ...action }]) => (
        <ActionButton key={id} action={action} side="top" />
      ))}
    </Toolbar>
  );
}

const Divider = ({ beside }: { beside: boolean }) => (
  <div aria-hidden="true" className={`shrink-0 bg-line ${beside ? 'my-1 h-px' : 'mx-1 w-px'}`} />
);

function ActionButton({ action, side }: { action: PhoneAction; side: 'left' | 'top' }) {
  const { label, icon, shortcut, disabled = false, isOn, expands = false, keepsFocus, run } = action;
  return (
    <ToolbarButton
      label={label}
      icon={icon}
      side={side}
      {...(shortcut !== undefined && { shortcut })}
      disabled={disabled}
      data-on={isOn || undefined}
      {...(expands && { 'aria-expanded': isOn })}
      {...(keepsFocus && { onMouseDown: (event) => event.preventDefault() })}
      onClick={run}
      className="data-on:bg-sunken data-on:text-ink"
    />
  );
}
