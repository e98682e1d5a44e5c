import { BusError } from '../../bus/bus.ts';
import { implement, Picture } from '../implement.ts';
import { sessionEnded, sessionNotConnected, sessionNotFound } from '../refuse.ts';

const SCREENSHOT_TIMEOUT_MS = 10_000;

export const screenshotSession = implement(
  'sessions.screenshot',
  async ({ store, bus }, { principal, params }) => {
    const session = await store.getSession(params.session_id, principal.accountId);
    if (!session) throw sessionNotFound(params.session_id);
    if (session.status === 'disconnected') throw sessionEnded(session.id);
    if (session.status === 'connecting') throw sessionNotConnected();
    try {
      const { png } = await bus.request(
        'host.screenshot',
        session.hostId,
        { sessionId: session.id, epoch: session.epoch },
        { timeoutMs: SCREENSHOT_TIMEOUT_MS },
      );
      return new Picture('image/png', Buffer.from(png, 'base64'));
    } catch (error) {
      // The row may be a heartbeat ahead of the host, or behind it.
      if (error instanceof BusError && error.kind === 'failed') throw sessionNotConnected();
      throw error;
    }
  },
);
