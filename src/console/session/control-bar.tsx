import type { ReactNode, RefObject } from 'react';
import {
  AppsIcon,
  BackIcon,
  CameraIcon,
  FullscreenIcon,
  HomeIcon,
  KeyboardIcon,
  LeaveFullscreenIcon,
  PowerIcon,
  RecordIcon,
  RotateIcon,
  StopIcon,
  ToolsIcon,
  VolumeDownIcon,
  VolumeUpIcon,
} from '../icons.tsx';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { MoreMenu, type MoreMenuProps } from './more-menu.tsx';
import type { Recording } from './recording/use-recording.ts';
import type { Control } from './use-control.ts';
import type { Fullscreen } from './use-fullscreen.ts';

const text = texts.controls;

interface ControlBarProps {
  control: Control;
  keyboard: RefObject<HTMLTextAreaElement | null>;
  /** Whether keyboard input goes to the phone. */
  typing: boolean;
  recording: Recording;
  fullscreen: Fullscreen;
  more: MoreMenuProps;
  onScreenshot(): void;
  /** Whether the tools panel is open. */
  toolsOpen: boolean;
  onTools(): void;
}

const KEYS: readonly (readonly [label: string, icon: ReactNode, key: string])[] = [
  [text.back, <BackIcon key="icon" />, 'BACK'],
  [text.home, <HomeIcon key="icon" />, 'HOME'],
  [text.apps, <AppsIcon key="icon" />, 'APP_SWITCH'],
];
const HARDWARE: typeof KEYS = [
  [text.power, <PowerIcon key="icon" />, 'POWER'],
  [text.volumeUp, <VolumeUpIcon key="icon" />, 'VOLUME_UP'],
  [text.volumeDown, <VolumeDownIcon key="icon" />, 'VOLUME_DOWN'],
];

// In a low window, such as that of a laptop, the buttons of a column are smaller. If that is not enough, the bar scrolls.
const BAR =
  'flex min-w-0 overflow-auto md:overflow-x-hidden rounded-2xl border border-line bg-panel p-1.5 shadow-card [scrollbar-width:thin] md:flex-col [@media(min-width:48rem)_and_(max-height:46rem)]:[&_button]:size-9';

const Divider = () => (
  <div aria-hidden="true" className="shrink-0 bg-line max-md:mx-1 max-md:w-px md:my-1 md:h-px" />
);

/**
 * The phone's buttons and the console's own actions: a column beside the phone, or a row below it on a small screen.
 */
export function ControlBar({ control, recording, fullscreen, ...rest }: ControlBarProps) {
  const isRecording = recording.phase !== 'off';
  return (
    <div role="toolbar" aria-label={text.label} className={BAR}>
      <PhoneKeys control={control} keys={[...KEYS, ...HARDWARE]} />
      <Divider />
      <IconButton label={text.screenshot} icon={<CameraIcon />} side="left" onClick={rest.onScreenshot} />
      <IconButton
        label={isRecording ? text.stopRecording : text.record}
        icon={isRecording ? <StopIcon /> : <RecordIcon />}
        side="left"
        data-on={isRecording || undefined}
        disabled={recording.phase === 'saving' || (!isRecording && control.state.phase !== 'ready')}
        onClick={recording.toggle}
        className="data-on:text-bad"
      />
      <KeyboardButton {...rest} disabled={!control.can('text')} />
      {fullscreen.isPossible && (
        <IconButton
          label={fullscreen.isOn ? text.leaveFullscreen : text.fullscreen}
          icon={fullscreen.isOn ? <LeaveFullscreenIcon /> : <FullscreenIcon />}
          side="left"
          onClick={fullscreen.toggle}
        />
      )}
      <IconButton
        label={text.tools}
        icon={<ToolsIcon />}
        side="left"
        aria-expanded={rest.toolsOpen}
        onClick={rest.onTools}
        className="max-md:order-first aria-expanded:bg-sunken aria-expanded:text-ink"
      />
      <MoreMenu {...rest.more} />
    </div>
  );
}

/** The buttons that every phone has, or a subset of them where there is little space. */
export function PhoneKeys({ control, keys = KEYS }: { control: Control; keys?: typeof KEYS }) {
  return (
    <>
      {keys.map(([label, icon, key]) => (
        <IconButton
          key={key}
          label={label}
          icon={icon}
          side="left"
          disabled={!control.can('key')}
          onClick={() => control.run('key', { key })}
        />
      ))}
      <IconButton
        label={text.rotate}
        icon={<RotateIcon />}
        side="left"
        disabled={!control.can('rotate')}
        onClick={() => control.run('rotate', {})}
      />
    </>
  );
}

export interface KeyboardButtonProps extends Pick<ControlBarProps, 'keyboard' | 'typing'> {
  disabled: boolean;
}

/**
 * Moves keyboard focus to the phone and away from it. On a touch screen this shows and hides the on-screen keyboard.
 */
export function KeyboardButton({ keyboard, typing, disabled }: KeyboardButtonProps) {
  return (
    <IconButton
      label={typing ? text.leaveKeyboard : text.keyboard}
      icon={<KeyboardIcon />}
      side="left"
      disabled={disabled}
      data-on={typing || undefined}
      // Pressing the button must not take the focus from the phone, because the button could then not toggle it off.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => (typing ? keyboard.current?.blur() : keyboard.current?.focus())}
      className="data-on:bg-sunken data-on:text-ink"
    />
  );
}
