import type { ReactNode } from 'react';
import {
  AppsIcon,
  BackIcon,
  CameraIcon,
  HelpIcon,
  HomeIcon,
  KeyboardIcon,
  LinkIcon,
  PowerIcon,
  RotateIcon,
  ToolsIcon,
  VolumeDownIcon,
  VolumeUpIcon,
} from '../icons.tsx';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon-button.tsx';
import type { Control } from './use-control.ts';

const text = texts.controls;

interface ControlBarProps {
  control: Control;
  onScreenshot(): void;
  onCopyStream(): void;
  onKeyboard(): void;
  onHelp(): void;
  /** Whether the tools are shown. */
  toolsOpen: boolean;
  onTools(): void;
}

const KEYS: readonly (readonly [label: string, icon: ReactNode, key: string])[] = [
  [text.back, <BackIcon key="icon" />, 'BACK'],
  [text.home, <HomeIcon key="icon" />, 'HOME'],
  [text.apps, <AppsIcon key="icon" />, 'APP_SWITCH'],
  [text.power, <PowerIcon key="icon" />, 'POWER'],
  [text.volumeUp, <VolumeUpIcon key="icon" />, 'VOLUME_UP'],
  [text.volumeDown, <VolumeDownIcon key="icon" />, 'VOLUME_DOWN'],
];

const Divider = () => (
  <div aria-hidden="true" className="shrink-0 bg-line max-md:mx-1 max-md:w-px md:my-1 md:h-px" />
);

/** The phone's buttons, and what the console adds to them: a column beside the phone, a row below it on a small screen. */
export function ControlBar({ control, ...actions }: ControlBarProps) {
  const { can } = control;
  return (
    <div
      role="toolbar"
      aria-label={text.label}
      className="flex rounded-2xl border border-line bg-panel p-1.5 shadow-card max-md:overflow-x-auto md:flex-col"
    >
      {KEYS.map(([label, icon, key]) => (
        <IconButton
          key={key}
          label={label}
          icon={icon}
          side="left"
          disabled={!can('key')}
          onClick={() => control.run('key', { key })}
        />
      ))}
      <IconButton
        label={text.rotate}
        icon={<RotateIcon />}
        side="left"
        disabled={!can('rotate')}
        onClick={() => control.run('rotate', {})}
      />
      <Divider />
      <IconButton label={text.screenshot} icon={<CameraIcon />} side="left" onClick={actions.onScreenshot} />
      <IconButton label={text.copyStream} icon={<LinkIcon />} side="left" onClick={actions.onCopyStream} />
      <IconButton
        label={text.keyboard}
        icon={<KeyboardIcon />}
        side="left"
        disabled={!can('text')}
        onClick={actions.onKeyboard}
      />
      <IconButton label={text.help} icon={<HelpIcon />} side="left" onClick={actions.onHelp} />
      <IconButton
        label={text.tools}
        icon={<ToolsIcon />}
        side="left"
        aria-expanded={actions.toolsOpen}
        onClick={actions.onTools}
        className="max-md:order-first aria-expanded:bg-sunken aria-expanded:text-ink"
      />
    </div>
  );
}
