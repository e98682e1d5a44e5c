import { useEffect, useState } from 'react';
import { type Control, useNotifications } from '../../use-control.ts';
import { LogFeed } from './log-feed.ts';

/**
 * The phone's log from the moment when it is first `wanted` for as long as the component is there, so that it goes on
 * while another tool is looked at.
 */
export function useLogFeed(control: Control, wanted: boolean): LogFeed {
  const [feed] = useState(() => new LogFeed((run) => setTimeout(run, 100)));
  const [started, setStarted] = useState(false);
  if (wanted && !started) setStarted(true);
  useNotifications(control, ({ method, params }) => {
    if (method === 'log.line') feed.add(params);
  });
  // Again after each reconnection: the phone forgets who wanted its log.
  const active = started && control.can('log.start');
  const { run, notify } = control;
  useEffect(() => {
    if (!active) return;
    run('log.start', {});
    return () => notify('log.stop', {});
  }, [active, run, notify]);
  return feed;
}
