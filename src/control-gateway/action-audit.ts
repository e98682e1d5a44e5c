import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';
import { TokenBucket } from '../util/token-bucket.ts';
import { type RecordAction, type SocketAction, type SocketActor, socketEvent } from './audit-event.ts';
import { toRpcError } from './json-rpc.ts';

/**
 * Limits the audit events for clients of one session that take control, so that a client that does so in a loop does
 * not fill the audit trail.
 */
const AUDITED_TAKEOVERS = { perSecond: 1, burst: 20 };

/** Methods that are recorded in the audit trail. */
const AUDITED: Readonly<Record<string, SocketAction>> = {
  shell: 'control.shell',
  'app.install': 'control.install',
  'session.extend': 'control.extend',
};

/** Records in the audit trail what the clients of one session do on its control socket. */
export class ActionAudit {
  private readonly record: RecordAction;
  private readonly takeovers = new TokenBucket(AUDITED_TAKEOVERS);

  constructor(record: RecordAction) {
    this.record = record;
  }

  /** Records that a client takes control, from a client of this gateway or of another one. */
  recordTakeover(session: SessionRow, by: SocketActor): void {
    if (this.takeovers.take()) void this.record({ ...socketEvent(session, 'control.open', by), code: 0 });
  }

  /**
   * Performs a call. If its method is audited, the call is recorded before it is answered: a client that has its
   * answer has an entry in the audit trail. A call that changes rows has already recorded it in the same transaction.
   */
  async perform(
    session: SessionRow,
    method: string,
    by: SocketActor,
    call: (event?: AuditEvent) => Promise<unknown>,
  ): Promise<unknown> {
    const action = Object.hasOwn(AUDITED, method) ? AUDITED[method] : undefined;
    if (!action) return call();
    const event = socketEvent(session, action, by);
    try {
      const result = await call(event);
      if (!event.isRecorded) await this.record({ ...event, code: 0 });
      return result;
    } catch (error) {
      await this.record({ ...event, code: toRpcError(error).code });
      throw error;
    }
  }
}
