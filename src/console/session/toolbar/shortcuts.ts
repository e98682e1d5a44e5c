import { texts } from '../../texts.ts';
import type { ShortcutKey } from '../../ui/shortcut.ts';

const text = texts.controls;

/** The shortcuts of the toolbar, as in scrcpy where it has the action: the key that is pressed with Alt, and the label. */
export const SHORTCUTS = {
  back: ['b', text.back],
  home: ['h', text.home],
  apps: ['s', text.apps],
  keyboard: ['k', text.keyboard],
  power: ['p', text.power],
  rotate: ['r', text.rotate],
  volumeUp: ['+', text.volumeUp],
  volumeDown: ['-', text.volumeDown],
  screenshot: ['g', text.screenshot],
  record: ['v', text.record],
  fullscreen: ['f', text.fullscreen],
  tools: ['t', text.tools],
} as const satisfies Record<string, readonly [ShortcutKey, string]>;
