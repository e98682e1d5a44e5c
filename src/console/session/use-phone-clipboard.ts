import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';
import { copyAndSay } from '../ui/copy-and-say.ts';
import { copyText } from '../ui/copy-text.ts';
import { toast } from '../ui/toasts.tsx';
import { type Control, useNotifications } from './use-control.ts';

const text = texts.session;
/** After a copy on the phone it is asked what it copied, unless it said so by then: the same as before is no news to it. */
const ASK_AFTER_MS = 400;
/** A phone that has not said by then what it copied will not. */
const COPY_DEADLINE_MS = 3_000;

export interface PhoneClipboard {
  /** What the phone last said is on its clipboard; null before it said anything. */
  phoneClipboard: string | null;
  /** Puts text on the phone's clipboard, and lets the phone paste it. */
  toClipboard(text: string, paste: boolean): Promise<unknown>;
  /** The same, with a word about it when it fails. */
  paste(text: string): void;
  /** The phone was told to copy: what it has on its clipboard then comes to this machine's. */
  copied(): void;
}

/** The two clipboards: the phone's, and the one of the machine in front of which the user sits. */
export function usePhoneClipboard(control: Control): PhoneClipboard {
  const [phoneClipboard, setPhoneClipboard] = useState<string | null>(null);
  const sent = useRef<string | null>(null);
  const awaited = useRef<{ until: number; timer: ReturnType<typeof setTimeout> } | null>(null);
  useEffect(() => () => clearTimeout(awaited.current?.timer), []);

  const offer = (copied: string) => {
    const run = () => void copyAndSay(copied);
    toast(text.copiedOnPhone, { action: { label: text.copyHere, run } });
  };
  const arrived = async (copied: string) => {
    const isAwaited = awaited.current !== null && performance.now() < awaited.current.until;
    clearTimeout(awaited.current?.timer);
    awaited.current = null;
    setPhoneClipboard(copied);
    // The phone tells of what we put there ourselves as well.
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
          // A phone that says nothing copied nothing that could be had.
          () => {},
        );
      const timer = setTimeout(() => void ask(), ASK_AFTER_MS);
      awaited.current = { until: performance.now() + COPY_DEADLINE_MS, timer };
    },
  };
}
