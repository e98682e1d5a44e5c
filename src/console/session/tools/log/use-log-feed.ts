import { useEffect, useState } from 'react';
import { type Control, useNotifications } from '../../use-control.ts';
import { LogFeed } from './log-feed.ts';

/**
 * Collects the phone's log from the first time that it is `wanted` until the component unmounts, so that collecting
 * continues while another tool is open.
 */
export function useLogFeed(control: Control, wanted: boolean): LogFeed {
  const [feed] = useState(() => new LogFeed((run) => setTimeout(run, 100)));
  const [started, setStarted] = useState(false);
  if (wanted && !started) setStarted(true);
  useNotifications(control, ({ method, params }) => {
    if (method === 'log.line') feed.add(params);
  });
  // Subscribes again after each reconnection, because the phone's log subscription ends with the connection.
  const active = started && control.can('log.start');
  const { run, notify } = control;
  useEffect(() => {
    if (!active) return;
    run('log.start', {});
    return () => notify('log.stop', {});
  }, [active, run, notify]);
  return feed;
}
