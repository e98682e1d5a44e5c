import { useState } from 'react';
import type { Device } from '../../contract/http/device.ts';
import { useConnect } from '../data/queries.ts';
import { randomId } from '../data/random-id.ts';
import { navigate } from '../router.tsx';
import { preloadSession } from '../session/preload-session.ts';
import { lastConnect, recordingOf } from './last-connect.ts';

/** Connects with one click, with the choices of the last connect in this browser. */
export function useQuickConnect(onRefused: (device: Device, error: Error) => void) {
  const [last] = useState(lastConnect);
  const connect = useConnect();
  const [deviceId, setDeviceId] = useState<string | null>(null);
  const start = (device: Device) => {
    if (!last || connect.isPending) return;
    setDeviceId(device.id);
    // If preloading fails, the page recovers when it needs the code.
    preloadSession().catch(() => {});
    connect.mutate(
      {
        deviceId: device.id,
        duration: last.minutes,
        appId: last.app?.id ?? null,
        recording: recordingOf(last),
        idempotencyKey: randomId(),
      },
      {
        onSuccess: (session) => navigate(`/sessions/${session.session_id}`),
        onError: (error) => onRefused(device, error),
      },
    );
  };
  return { last, start, connectingId: connect.isPending ? deviceId : null };
}
