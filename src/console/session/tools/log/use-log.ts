import { useEffect, useState } from 'react';
import { type Control, useNotifications } from '../../use-control.ts';
import { LogFeed } from './log-feed.ts';

/** The log of a phone, and whether it is being collected. */
export interface Log {
  feed: LogFeed;
  /** Starts collecting, when the log is shown for the first time. */
  start(): void;
}

/**
 * Collects the phone's log from the first time that it is shown, also while another tool is in its place, but only
 * while `isOpen`: a phone's log takes bandwidth.
 */
export function useLog(control: Control, isOpen: boolean): Log {
  const [feed] = useState(() => new LogFeed((run) => setTimeout(run, 100)));
  const [started, setStarted] = useState(false);
  useNotifications(control, ({ method, params }) => {
    if (method === 'log.line') feed.add(params);
  });
  // Subscribes again after each reconnection, because the phone's log subscription ends with the connection.
  const active = started && isOpen && control.can('log.start');
  const { run, notify } = control;
  useEffect(() => {
    if (!active) return;
    run('log.start', {});
    return () => notify('log.stop', {});
  }, [active, run, notify]);
  return { feed, start: () => setStarted(true) };
}
