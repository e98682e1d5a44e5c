import { useEffect, useRef, useState } from 'react';
import { ControlLink, type ControlState } from '../../client/control-link.ts';
import { ControlError } from '../../client/control-socket.ts';
import { socketUrlFor } from '../../client/socket-url.ts';
import type {
  ControlMethod,
  ControlParams,
  ControlResult,
  PhoneMethod,
} from '../../contract/sockets/control-methods.ts';
import type {
  ControlNotification,
  ControlNotifications,
} from '../../contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../../contract/sockets/rpc-errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { toast } from '../ui/toasts.tsx';
import { LinkHealth } from './link-health.ts';

const INITIAL: ControlState = { phase: 'connecting', wasReady: false, capabilities: [] };

type Listener = (notification: ControlNotification) => void;

/** The functions that are stable across renders, so that effects can depend on them. */
export interface ControlCommands {
  /** Sends a command without expecting a result. */
  notify<M extends ControlMethod>(method: M, params: ControlParams<M>): void;
  /** Sends a command, and shows a message if it fails. */
  run<M extends ControlMethod>(method: M, params: ControlParams<M>): void;
  /**
   * Sends a command and waits for its result.
   * @throws ControlError if the command fails
   */
  call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>>;
  /** Requests a keyframe from the phone, from which decoding can start. */
  requestKeyframe(): void;
  /** Receives the notifications of the phone and the service. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void;
  takeBack(): void;
  /** Time of the last ping to the service in milliseconds, or null while none is answered. */
  roundTripMs(): number | null;
}

export interface Control extends ControlCommands {
  state: ControlState;
  /** Who took control from this page, if that is known and the page has not taken it back. */
  takenBy: ControlNotifications['session.taken_over'] | null;
  /** Whether the connection is open but does not answer. Commands would arrive late or never. */
  isSilent: boolean;
  /** Whether the phone supports this method and accepts commands now. */
  can(method: PhoneMethod): boolean;
}

/** Controls a phone while the component is mounted and `controlUrl` is not null. */
export function useControl(controlUrl: string | null): Control {
  const [state, setState] = useState(INITIAL);
  const [isSilent, setSilent] = useState(false);
  const [takenBy, setTakenBy] = useState<Control['takenBy']>(null);
  const link = useRef<ControlLink | null>(null);
  const health = useRef<LinkHealth | null>(null);
  const listeners = useRef(new Set<Listener>());
  useEffect(() => {
    if (controlUrl === null) return;
    const watch = new LinkHealth({
      ping: () => answerOf(opened.call('session.ping', {})),
      onSilent: setSilent,
      onDead: () => opened.reconnect(),
      isHidden: () => document.visibilityState === 'hidden',
    });
    const changed = (next: ControlState) => {
      if (next.phase === 'ready') watch.start();
      else watch.stop();
      if (next.phase === 'ready') setTakenBy(null);
      setState(next);
    };
    const opened = new ControlLink(socketUrlFor(location, controlUrl), changed, (notification) => {
      if (notification.method === 'session.taken_over') setTakenBy(notification.params);
      for (const listener of listeners.current) listener(notification);
    });
    link.current = opened;
    health.current = watch;
    const doubt = () => watch.doubt();
    addEventListener('offline', doubt);
    return () => {
      removeEventListener('offline', doubt);
      opened.dispose();
      watch.stop();
      link.current = null;
      health.current = null;
      setState(INITIAL);
    };
  }, [controlUrl]);

  const [commands] = useState((): ControlCommands => {
    const call: ControlCommands['call'] = async (method, params) => {
      if (!link.current) throw new ControlError('the phone is not ready', RPC_ERRORS.notConnected);
      return link.current.call(method, params);
    };
    return {
      notify: (method, params) => void link.current?.notify(method, params),
      run: (method, params) => {
        call(method, params).catch((error: unknown) => toast(errorSentence(error), { tone: 'bad' }));
      },
      call,
      requestKeyframe: () => void link.current?.requestKeyframe(),
      subscribe: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
      takeBack: () => link.current?.takeBack(),
      roundTripMs: () => health.current?.roundTripMs ?? null,
    };
  });
  const can = (method: PhoneMethod) =>
    state.phase === 'ready' && !isSilent && state.capabilities.includes(method);
  return { state, takenBy, isSilent, can, ...commands };
}

/** Resolves when a command was answered, even if with an error. @throws ControlError if no answer arrived */
const answerOf = (response: Promise<unknown>): Promise<unknown> =>
  response.catch((error: unknown) => {
    if (!(error instanceof ControlError) || error.code === 0) throw error;
  });

/** Receives notifications while the component is mounted. */
export function useNotifications({ subscribe }: Pick<ControlCommands, 'subscribe'>, listener: Listener) {
  const current = useRef(listener);
  useEffect(() => {
    current.current = listener;
  });
  useEffect(() => subscribe((notification) => current.current(notification)), [subscribe]);
}
