import { ApiError } from '../../contract/http/errors.ts';
import { START_TIMEOUT_MS } from '../../contract/http/session.ts';
import { sessionEnded } from '../../control-plane/refusal-errors.ts';
import type { SessionRow } from '../../store/entities.ts';
import { Notifier } from '../../util/notifier.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import type { ApiContext } from '../context.ts';

/** Interval at which the row is read even when no message arrives. */
const POLL_MS = 250;
/** The service ends a session that has not started by then. */
const CONNECT_MS = START_TIMEOUT_MS + 10_000;
/** An install may wait for a slow phone. */
const INSTALL_MS = 300_000;

type WaitContext = Pick<ApiContext, 'store' | 'bus'>;

/** Waits until the session's row satisfies the condition. @throws ApiError when the session ends or it takes too long */
async function waitForRow(
  { store, bus }: WaitContext,
  { id, accountId }: Pick<SessionRow, 'id' | 'accountId'>,
  wanted: { isMet: (row: SessionRow) => boolean; timeoutMs: number; what: string },
  signal: AbortSignal,
): Promise<SessionRow> {
  const notifier = new Notifier();
  const subscription = bus.subscribe('session.changed', ({ sessionId }) => {
    if (sessionId === id) notifier.notify();
  });
  const until = performance.now() + wanted.timeoutMs;
  try {
    for (;;) {
      signal.throwIfAborted();
      const row = await store.getSession(id, accountId);
      if (!row) throw sessionEnded(id);
      if (row.status === 'disconnected') throw endError(row);
      if (wanted.isMet(row)) return row;
      if (performance.now() > until) throw new ApiError('unavailable', wanted.what);
      await notifier.wait(POLL_MS);
    }
  } finally {
    subscription.close();
  }
}

export const waitUntilConnected = (context: WaitContext, row: SessionRow, signal: AbortSignal) =>
  waitForRow(
    context,
    row,
    {
      isMet: ({ status }) => status === 'connected',
      timeoutMs: CONNECT_MS,
      what: 'the phone did not start in time; try again',
    },
    signal,
  );

/** Waits until the app of the request is installed. @throws WebDriverError with the error of the phone */
export async function waitUntilInstalled(
  context: WaitContext,
  row: SessionRow,
  signal: AbortSignal,
): Promise<SessionRow> {
  const { appRequest } = row;
  const what = 'the app was not installed in time; try again';
  const isMet = (now: SessionRow) =>
    now.appRequest !== appRequest || now.appStatus === 'installed' || now.appStatus === 'failed';
  const now = await waitForRow(context, row, { isMet, timeoutMs: INSTALL_MS, what }, signal);
  if (now.appRequest === appRequest && now.appStatus === 'failed')
    throw new WebDriverError(
      'unknown error',
      `the app could not be installed: ${now.appError ?? 'unknown reason'}`,
    );
  return now;
}

const endError = ({ endReason, endDetail }: SessionRow) =>
  new ApiError(
    'unavailable',
    `the session ended before the phone was ready (${endReason}${endDetail ? `: ${endDetail}` : ''})`,
  );
