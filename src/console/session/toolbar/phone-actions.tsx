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
} from '../../icons.tsx';
import { texts } from '../../texts.ts';
import type { ShortcutKey } from '../../ui/shortcut.ts';
import type { Recording } from '../recording/use-recording.ts';
import type { Control } from '../use-control.ts';
import type { Fullscreen } from '../use-fullscreen.ts';
import { SHORTCUTS } from './shortcuts.ts';

const text = texts.controls;

/** A button of the toolbar, which is an item of the menu where the toolbar has no room for it. */
export interface PhoneAction {
  label: string;
  icon: ReactNode;
  /** Pressed together with Alt, as in scrcpy where it has the action. */
  shortcut?: ShortcutKey;
  disabled?: boolean;
  /** Whether it is turned on, if it can be turned on and off. */
  isOn?: boolean;
  /** Whether it shows or hides a part of the page. */
  expands?: boolean;
  /** Whether keyboard focus stays where it is when the button is clicked, so that the user can go on typing. */
  keepsFocus?: boolean;
  run(): void;
}

interface PhoneKeyAction {
  label: string;
  icon: ReactNode;
  shortcut: ShortcutKey;
  key: string;
}

const KEYS = {
  back: { label: text.back, icon: <BackIcon />, shortcut: SHORTCUTS.back[0], key: 'BACK' },
  home: {
    label: text.home,
    icon: <HomeIcon className="size-4.5" />,
    shortcut: SHORTCUTS.home[0],
    key: 'HOME',
  },
  apps: {
    label: text.apps,
    icon: <AppsIcon className="size-4.5" />,
    shortcut: SHORTCUTS.apps[0],
    key: 'APP_SWITCH',
  },
  power: { label: text.power, icon: <PowerIcon />, shortcut: SHORTCUTS.power[0], key: 'POWER' },
  volumeUp: {
    label: text.volumeUp,
    icon: <VolumeUpIcon />,
    shortcut: SHORTCUTS.volumeUp[0],
    key: 'VOLUME_UP',
  },
  volumeDown: {
    label: text.volumeDown,
    icon: <VolumeDownIcon />,
    shortcut: SHORTCUTS.volumeDown[0],
    key: 'VOLUME_DOWN',
  },
} satisfies Record<string, PhoneKeyAction>;

const keyAction = (control: Control, { key, ...rest }: PhoneKeyAction): PhoneAction => ({
  ...rest,
  disabled: !control.can('key'),
  keepsFocus: true,
  run: () => control.run('key', { key }),
});

const rotateAction = (control: Control): PhoneAction => ({
  label: text.rotate,
  icon: <RotateIcon />,
  shortcut: SHORTCUTS.rotate[0],
  disabled: !control.can('rotate'),
  keepsFocus: true,
  run: () => control.run('rotate', {}),
});

export interface Typing {
  keyboard: RefObject<HTMLTextAreaElement | null>;
  /** Whether keyboard input goes to the phone. */
  typing: boolean;
}

/** Moves keyboard focus to the phone and away from it. On a touch screen this shows and hides the on-screen keyboard. */
const keyboardAction = (control: Control, { keyboard, typing }: Typing): PhoneAction => ({
  label: typing ? text.leaveKeyboard : text.keyboard,
  icon: <KeyboardIcon />,
  shortcut: SHORTCUTS.keyboard[0],
  disabled: !control.can('text'),
  isOn: typing,
  // If the button took the focus from the phone, it could not toggle it off.
  keepsFocus: true,
  run: () => (typing ? keyboard.current?.blur() : keyboard.current?.focus()),
});

/** The buttons of a phone that is shown beside others. */
export const fewActions = (control: Control, typing: Typing): Record<string, PhoneAction> => ({
  back: keyAction(control, KEYS.back),
  home: keyAction(control, KEYS.home),
  apps: keyAction(control, KEYS.apps),
  rotate: rotateAction(control),
  keyboard: keyboardAction(control, typing),
});

export interface PhoneActionsInput extends Typing {
  control: Control;
  recording: Recording;
  fullscreen: Fullscreen;
  onScreenshot(): void;
  /** Whether the tools panel is open. */
  toolsOpen: boolean;
  onTools(): void;
}

/** All actions that have a button, by their ids. */
export function phoneActions({ control, recording, fullscreen, ...rest }: PhoneActionsInput) {
  const isRecording = recording.phase !== 'off';
  return {
    ...fewActions(control, rest),
    power: keyAction(control, KEYS.power),
    volumeUp: keyAction(control, KEYS.volumeUp),
    volumeDown: keyAction(control, KEYS.volumeDown),
    screenshot: {
      label: text.screenshot,
      icon: <CameraIcon />,
      shortcut: SHORTCUTS.screenshot[0],
      run: rest.onScreenshot,
    },
    record: {
      label: isRecording ? text.stopRecording : text.record,
      icon: isRecording ? <StopIcon className="size-5 text-bad" /> : <RecordIcon />,
      shortcut: SHORTCUTS.record[0],
      disabled: recording.phase === 'saving' || (!isRecording && control.state.phase !== 'ready'),
      isOn: isRecording,
      run: recording.toggle,
    },
    ...(fullscreen.isPossible && {
      fullscreen: {
        label: fullscreen.isOn ? text.leaveFullscreen : text.fullscreen,
        icon: fullscreen.isOn ? <LeaveFullscreenIcon /> : <FullscreenIcon />,
        shortcut: SHORTCUTS.fullscreen[0],
        run: fullscreen.toggle,
      },
    }),
    tools: {
      label: text.tools,
      icon: <ToolsIcon />,
      shortcut: SHORTCUTS.tools[0],
      isOn: rest.toolsOpen,
      expands: true,
      run: rest.onTools,
    },
  } satisfies Record<string, PhoneAction>;
}

/** The groups of the toolbar: navigation and typing, hardware, capture, view. */
export const ACTION_GROUPS: readonly (readonly string[])[] = [
  ['back', 'home', 'apps', 'keyboard'],
  ['power', 'rotate', 'volumeUp', 'volumeDown'],
  ['screenshot', 'record'],
  ['fullscreen', 'tools', 'more'],
];

/** The buttons that leave the toolbar where there is no room for them, the first one first. */
export const LEAVING_ACTIONS: readonly string[] = [
  ...['volumeDown', 'volumeUp', 'power', 'fullscreen', 'record', 'rotate', 'screenshot'],
];
