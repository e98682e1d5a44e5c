import { texts } from '../texts.ts';
import { copyText } from './copy-text.ts';
import { toast } from './toasts.tsx';

/** Puts text on the clipboard of this machine, and says that it is there, or that the browser refused. */
export async function copyAndSay(text: string, done: string = texts.session.copied): Promise<void> {
  const copied = await copyText(text);
  toast(copied ? done : texts.session.copyFailed, { tone: copied ? 'plain' : 'bad' });
}
