import { useEffect, useState, useSyncExternalStore } from 'react';
import { acceptsInput } from '../phone-screen.tsx';
import type { Control, ControlCommands } from '../use-control.ts';
import type { Screen } from '../use-screen.ts';
import type { Mirror } from './mirror.ts';

/**
 * Makes a phone part of a mirror. Returns its control, which also sends the input to the other phones, and whether the
 * phone receives the input of the others now.
 */
export function useMirrored(
  mirror: Mirror,
  id: string,
  control: Control,
  screen: Screen,
): { control: Control; isMirrored: boolean } {
  const { notify, run, call } = control;
  const [commands] = useState(
    (): Pick<ControlCommands, 'notify' | 'run' | 'call'> => ({
      notify: (method, params) => {
        notify(method, params);
        mirror.send(id, method, params);
      },
      run: (method, params) => {
        run(method, params);
        mirror.send(id, method, params);
      },
      call: (method, params) => {
        mirror.send(id, method, params);
        return call(method, params);
      },
    }),
  );
  const { width, height } = screen.size ?? {};
  const orientation =
    width === undefined || height === undefined ? null : width > height ? 'landscape' : 'portrait';
  const isReady = acceptsInput(control, screen);
  useEffect(() => {
    mirror.set(id, {
      orientation,
      isReady,
      send: (method, params) => notify(method, params as Parameters<typeof notify>[1]),
    });
  }, [mirror, id, orientation, isReady, notify]);
  useEffect(() => () => mirror.remove(id), [mirror, id]);
  const { isOn } = useSyncExternalStore(mirror.subscribe, mirror.state);
  return { control: { ...control, ...commands }, isMirrored: isOn && isReady };
}
