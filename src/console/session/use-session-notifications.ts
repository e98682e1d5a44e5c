import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { copyAndSay } from '../ui/copy-and-say.ts';
import { toast } from '../ui/toasts.tsx';
import { type Control, useNotifications } from './use-control.ts';

const text = texts.session;

export interface PhoneClipboard {
  /** What the phone last said is on its clipboard; null before it said anything. */
  phoneClipboard: string | null;
  /** What was last sent there from here. */
  sent: RefObject<string | null>;
}

/** What the phone and the service tell of the session itself and of the clipboard, and what follows from it. */
export function useSessionNotifications(sessionId: string, control: Control) {
  const cache = useQueryClient();
  const [warned, setWarned] = useState(false);
  const [phoneClipboard, setPhoneClipboard] = useState<string | null>(null);
  const sent = useRef<string | null>(null);
  const refresh = () => void cache.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
  useNotifications(control, ({ method, params }) => {
    if (method === 'session.expiring') setWarned(true);
    if (method === 'session.ready' || method === 'session.extended' || method === 'session.ended') refresh();
    if (method !== 'clipboard.changed') return;
    setPhoneClipboard(params.text);
    // The phone tells of what we put there ourselves as well.
    if (params.text === '' || params.text === sent.current) return;
    const run = () => void copyAndSay(params.text);
    toast(text.copiedOnPhone, { action: { label: text.copyHere, run } });
  });
  return { warned, dismiss: () => setWarned(false), phoneClipboard, sent };
}
