import type { Installation } from '../install/use-installation.ts';
import type { Control } from '../use-control.ts';
import type { Size } from '../use-fit.ts';

/** What the tools work with. */
export interface ToolProps {
  sessionId: string;
  control: Control;
  installation: Installation;
  /** Covers the phone's picture exactly. */
  overlay: HTMLElement | null;
  /** Of the phone's screen, as its description has it. */
  resolution: Size;
  /** What the phone last said is on its clipboard; null before it said anything. */
  phoneClipboard: string | null;
  /** Puts text on the phone's clipboard, and lets the phone paste it. */
  toClipboard(text: string, paste: boolean): Promise<unknown>;
}
