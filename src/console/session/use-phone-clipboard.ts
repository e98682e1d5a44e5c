import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';
import { copyText } from '../ui/copy-text.ts';
import { copyToClipboard } from '../ui/copy-to-clipboard.ts';
import { toast } from '../ui/toasts.tsx';
import { type Control, useNotifications } from './use-control.ts';

const text = texts.session;
/**
 * Delay after a copy on the phone before the console reads its clipboard. It does so only if the phone has not
 * reported it by then, because the phone does not report unchanged text.
 */
const ASK_AFTER_MS = 400;
/** Maximum time that a phone takes to report what it copied. */
const COPY_DEADLINE_MS = 3_000;

export interface PhoneClipboard {
  /** The clipboard text that the phone last reported, or null before the first report. */
  phoneClipboard: string | null;
  /** Sets the phone's clipboard, and pastes it on the phone if `paste` is true. */
  toClipboard(text: string, paste: boolean): Promise<unknown>;
  /** Pastes text on the phone, and shows a message if that fails. */
  paste(text: string): void;
  /** Called when the user makes the phone copy. The phone's clipboard is then copied to this machine's clipboard. */
  copied(): void;
}

/** Connects the two clipboards: the phone's, and the one of the user's machine. */
export function usePhoneClipboard(control: Control): PhoneClipboard {
  const [phoneClipboard, setPhoneClipboard] = useState<string | null>(null);
  const sent = useRef<string | null>(null);
  const awaited = useRef<{ until: number; timer: ReturnType<typeof setTimeout> } | null>(null);
  useEffect(() => () => clearTimeout(awaited.current?.timer), []);

  const offer = (copied: string) => {
    const run = () => void copyToClipboard(copied);
    toast(text.copiedOnPhone, { action: { label: text.copyHere, run } });
  };
  const arrived = async (copied: string) => {
    const isAwaited = awaited.current !== null && performance.now() < awaited.current.until;
    clearTimeout(awaited.current?.timer);
    awaited.current = null;
    setPhoneClipboard(copied);
    // The phone also reports text that this page put on its clipboard.
    if (copied === '' || (!isAwaited && copied === sent.current)) return;
    if (isAwaited && (await copyText(copied))) toast(text.copiedHereToo);
    else offer(copied);
  };
  useNotifications(control, ({ method, params }) => {
    if (method === 'clipboard.changed') void arrived(params.text);
  });
  const toClipboard = (pasted: string, paste: boolean) => {
    sent.current = pasted;
    return control.call('clipboard.set', { text: pasted, paste });
  };
  return {
    phoneClipboard,
    toClipboard,
    paste: (pasted) => {
      toClipboard(pasted, true).catch((error: unknown) => toast(errorSentence(error), { tone: 'bad' }));
    },
    copied: () => {
      if (!control.can('clipboard.get')) return;
      clearTimeout(awaited.current?.timer);
      const ask = () =>
        control.call('clipboard.get', {}).then(
          (answer) => awaited.current && arrived(answer.text),
          // If this fails too, the phone copied nothing that the console can read.
          () => {},
        );
      const timer = setTimeout(() => void ask(), ASK_AFTER_MS);
      awaited.current = { until: performance.now() + COPY_DEADLINE_MS, timer };
    },
  };
}
