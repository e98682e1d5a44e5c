import { useEffect, useRef, useState } from 'react';
import { socketUrlFor } from '../../client/socket-url.ts';
import type { ControlMethod, ControlNotification, ControlParams } from '../../contract/control-methods.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';
import { ControlLink, type ControlState } from './control-link.ts';

const INITIAL: ControlState = { phase: 'connecting', wasReady: false, capabilities: [] };

export interface Control {
  state: ControlState;
  /** Sends a command that wants no answer. */
  notify<M extends ControlMethod>(method: M, params: ControlParams<M>): void;
  /** Sends a command and says so when it fails. */
  run<M extends ControlMethod>(method: M, params: ControlParams<M>): void;
  takeBack(): void;
}

/** Control of a phone for as long as the component is there and `controlUrl` is not null. */
export function useControl(
  controlUrl: string | null,
  onNotification: (notification: ControlNotification) => void,
): Control {
  const [state, setState] = useState(INITIAL);
  const link = useRef<ControlLink | null>(null);
  const listener = useRef(onNotification);
  useEffect(() => {
    listener.current = onNotification;
  });
  useEffect(() => {
    if (controlUrl === null) return;
    const opened = new ControlLink(socketUrlFor(location, controlUrl), setState, (notification) =>
      listener.current(notification),
    );
    link.current = opened;
    return () => {
      opened.dispose();
      link.current = null;
      setState(INITIAL);
    };
  }, [controlUrl]);

  const [commands] = useState(() => ({
    notify<M extends ControlMethod>(method: M, params: ControlParams<M>): void {
      link.current?.notify(method, params);
    },
    run<M extends ControlMethod>(method: M, params: ControlParams<M>): void {
      link.current?.run(method, params).then(
        (sent) => sent || toast(texts.session.notReady, { tone: 'bad' }),
        (error: unknown) => toast(errorSentence(error), { tone: 'bad' }),
      );
    },
    takeBack: () => link.current?.takeBack(),
  }));
  return { state, ...commands };
}
