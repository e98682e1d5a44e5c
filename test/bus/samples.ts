import { BusError } from '../../src/bus/bus.ts';
import type { BusMessages, BusRequests } from '../../src/bus/messages.ts';

export const changed = (sessionId: string): BusMessages['session.changed'] => ({
  sessionId,
  hostId: 'h1',
  status: 'connected',
  endReason: null,
});

export const report = (hostName = 'shelf'): BusRequests['control-plane.report']['request'] => ({
  hostName,
  complete: true,
  phones: [],
});

export const artifact: BusRequests['control-plane.artifact']['request']['artifact'] = {
  ...{ name: 'video-1.mp4', kind: 'video', size: 1 },
  ...{ offsetMs: 0, durationMs: 1_000, width: 540, height: 1170 },
};

export const ended = (sessionId: string): BusRequests['control-plane.ended']['request'] => ({
  sessionId,
  epoch: 1,
  reason: 'device_lost',
  detail: null,
});

export const dial = (sessionId: string): BusRequests['host.dial']['request'] => ({
  sessionId,
  epoch: 1,
  purpose: 'stream',
  ingest: 'in-process:x',
  ticket: 't',
});

/** Outcome of a request: the kind of its BusError, or `answered`. */
export const kindOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof BusError ? error.kind : String(error)),
  );
