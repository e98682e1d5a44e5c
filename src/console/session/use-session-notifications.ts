import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, useNotifications } from './use-control.ts';

/** Handles the service's notifications about the session itself. */
export function useSessionNotifications(sessionId: string, control: Control) {
  const cache = useQueryClient();
  const [warned, setWarned] = useState(false);
  const refresh = () => void cache.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
  useNotifications(control, ({ method }) => {
    if (method === 'session.expiring') setWarned(true);
    if (method === 'session.ready' || method === 'session.extended' || method === 'session.ended') refresh();
  });
  return { warned, dismiss: () => setWarned(false) };
}
