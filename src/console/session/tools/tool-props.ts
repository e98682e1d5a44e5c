import type { Dispatch, SetStateAction } from 'react';
import type { Device } from '../../../contract/http/device.ts';
import type { Installation } from '../install/use-installation.ts';
import type { Control } from '../use-control.ts';
import type { Size } from '../use-fit.ts';
import type { FilePushes } from './files/use-file-pushes.ts';
import type { Log } from './log/use-log.ts';
import type { ShellEntry } from './shell/shell-history.ts';

export type ShellState = [readonly ShellEntry[], Dispatch<SetStateAction<readonly ShellEntry[]>>];

/** The props that every tool receives. */
export interface ToolProps {
  sessionId: string;
  /** Name of the phone. */
  name: string;
  /** Undefined while it is being loaded, and for a phone in maintenance. */
  device: Device | undefined;
  log: Log;
  control: Control;
  installation: Installation;
  pushes: FilePushes;
  /** The commands that were run in the phone's shell, which are kept while another tool is shown. */
  shell: ShellState;
  /** The element that covers the phone's video exactly. */
  overlay: HTMLElement | null;
  /** Resolution of the phone's screen, from its description. */
  resolution: Size;
  /** The clipboard text that the phone last reported, or null before the first report. */
  phoneClipboard: string | null;
  /** Sets the phone's clipboard, and pastes it on the phone if `paste` is true. */
  toClipboard(text: string, paste: boolean): Promise<unknown>;
}
