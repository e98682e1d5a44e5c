import { texts } from '../texts.ts';
import { copyText } from './copy-text.ts';
import { toast } from './toasts.tsx';

/** Copies text to this machine's clipboard, and shows a message that it was copied or that the browser refused. */
export async function copyToClipboard(text: string, done: string = texts.session.copied): Promise<void> {
  const copied = await copyText(text);
  toast(copied ? done : texts.session.copyFailed, { tone: copied ? 'plain' : 'bad' });
}
