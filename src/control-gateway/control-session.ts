import type { WebSocket } from 'ws';
import type { Bus } from '../bus/bus.ts';
import type { EndReason } from '../contract/http/session.ts';
import { CLOSE, CLOSE_UNKNOWN, type CloseCode, closeFor } from '../contract/sockets/close-codes.ts';
import { isControlMethod } from '../contract/sockets/control-methods.ts';
import type { Controller, ControlNotification } from '../contract/sockets/control-notifications.ts';
import { AgentLink, type AgentLinkContext, type AgentLinkUser } from '../gateway/agent-link.ts';
import type { SessionListener, SessionWatch } from '../gateway/session-watch.ts';
import type { Link } from '../link/link.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { SharedTimer } from '../util/shared-timer.ts';
import type { Step } from '../util/steps.ts';
import { ActionAudit } from './action-audit.ts';
import type { RecordAction } from './audit-event.ts';
import { checkAppExists } from './check-app-exists.ts';
import { checkParams } from './check-params.ts';
import {
  type ControlActor,
  ControlClient,
  type ControlClientHandlers,
  TAKEN_OVER,
} from './control-client.ts';
import { ExpiryWarnings } from './expiry-warnings.ts';
import { extendSession } from './extend-session.ts';
import { HeldCommands } from './held-commands.ts';
import { RpcError } from './json-rpc.ts';
import { type CallTiming, RemotePhone, type RemotePhoneListener } from './remote-phone.ts';

export interface ControlCounters {
  sessions: number;
  clients: number;
  /** Calls made and control messages forwarded so far. */
  calls: number;
  injected: number;
  takeovers: number;
  rejected: number;
}

/** What the control of all sessions of a gateway shares. */
export interface ControlSessionContext {
  store: Pick<Store, 'extend' | 'getApp' | 'getArtifactRoom'>;
  bus: Bus;
  watch: SessionWatch;
  log: Log;
  recordAction: RecordAction;
  maxDurationMinutes: number;
  link: AgentLinkContext;
  warnings: SharedTimer<ExpiryWarnings>;
  callTiming: CallTiming;
  rate: { perSecond: number; burst: number };
  /** How long the link stays up after the client has disconnected. */
  lingerMs: number;
  counters: Pick<ControlCounters, 'calls' | 'injected' | 'takeovers'>;
  /** Called once, when control of a session closes, so that its owner can discard it. */
  onClose(session: SessionRow): void;
}

/** Control of one session: its phone, and the one client that controls it. */
export class ControlSession
  implements AgentLinkUser, SessionListener, RemotePhoneListener, ControlClientHandlers
{
  client: ControlClient | null = null;
  private readonly context: ControlSessionContext;
  private session: SessionRow;
  private readonly phone: RemotePhone;
  private readonly agent: AgentLink;
  private readonly warnings: ExpiryWarnings;
  private linger: NodeJS.Timeout | undefined;
  /** Measures the client's wait until it may send commands. */
  private ready: Step | null = null;
  private readonly audit: ActionAudit;
  private readonly held = new HeldCommands();
  private extending = false;
  private closed = false;

  constructor(session: SessionRow, context: ControlSessionContext) {
    this.session = session;
    this.context = context;
    this.audit = new ActionAudit(context.recordAction);
    this.warnings = new ExpiryWarnings(context.warnings, (seconds) =>
      this.client?.notify({ method: 'session.expiring', params: { seconds } }),
    );
    this.warnings.arm(session.remainingMs);
    this.phone = new RemotePhone(context.callTiming, this);
    context.watch.watch(session, this);
    this.agent = new AgentLink(session, 'control', context.link, this);
  }

  get controller(): Controller | undefined {
    return this.client?.actor.controller;
  }

  /**
   * Lets a new client take over. The previous client receives no further answers. The owner of the socket calls `leave`
   * when it is closed.
   */
  accept(socket: WebSocket, actor: ControlActor): ControlClient {
    clearTimeout(this.linger);
    this.audit.recordTakeover(this.session, actor);
    if (this.client) {
      this.context.counters.takeovers += 1;
      this.phone.rejectCalls(TAKEN_OVER);
      this.held.drop(TAKEN_OVER);
      this.client.closeTakenOver(actor.controller);
    }
    const client = new ControlClient(socket, this.context.rate, actor, this);
    this.client = client;
    this.ready?.end('abandoned');
    this.ready = this.context.link.steps.begin('control.ready', this.session.id);
    this.sendReady();
    return client;
  }

  /** Only the client that has control affects the session. */
  leave(client: ControlClient): void {
    if (client !== this.client) return;
    this.ready?.end('abandoned');
    if (this.closed) return;
    this.client = null;
    this.phone.rejectCalls('the client disconnected');
    this.held.drop('the client disconnected');
    this.linger = setTimeout(() => this.close(CLOSE.ended, 'no client has control'), this.context.lingerMs);
  }

  /** Closes the client and the link. */
  close(code: CloseCode, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.context.watch.unwatch(this.session.id, this);
    this.warnings.clear();
    clearTimeout(this.linger);
    this.agent.close();
    this.phone.detach();
    this.held.drop('the socket is closing; the reason in its close frame says why');
    this.client?.close(code, reason);
    this.context.onClose(this.session);
  }

  onPhoneReady(): void {
    this.sendReady();
    this.held.release();
  }

  onNotification(notification: ControlNotification): void {
    this.client?.notify(notification);
  }

  onTakenOver(by: Controller | undefined): void {
    this.client?.closeTakenOver(by);
    this.close(CLOSE.takenOver, TAKEN_OVER);
  }

  onProtocolError(err: unknown): void {
    this.context.log.warn({ err, sessionId: this.session.id }, 'the agent violated the protocol');
  }

  onLinkUp(link: Link): void {
    this.phone.attach(link);
  }

  onLinkDown(): void {
    this.phone.detach();
  }

  onSessionChange(session: SessionRow): void {
    const expiryChanged = session.expiresAt !== this.session.expiresAt;
    this.session = session;
    if (session.status === 'connected') this.agent.retryNow();
    if (!expiryChanged) return;
    this.warnings.arm(session.remainingMs);
    this.client?.notify({ method: 'session.extended', params: { expires_at: this.expiresAt() } });
  }

  onSessionEnd(reason: EndReason, detail: string | null): void {
    this.client?.notify({
      method: 'session.ended',
      params: detail === null ? { reason } : { reason, detail },
    });
    const { code, reason: text } = closeFor(reason, detail);
    this.close(code, text);
  }

  onSessionUnknown(): void {
    this.close(CLOSE_UNKNOWN.code, CLOSE_UNKNOWN.reason);
  }

  perform(client: ControlClient, method: string, params: unknown): Promise<unknown> {
    return this.audit.perform(this.session, method, client.actor, (event) =>
      this.execute(client, method, params, event),
    );
  }

  inject(client: ControlClient, message: Uint8Array): Promise<void> | undefined {
    this.assertController(client);
    if (!this.phone.ready)
      return this.holdUntilReady(message.byteLength).then(() => this.inject(client, message));
    this.phone.inject(message);
    this.context.counters.injected += 1;
    return undefined;
  }

  onInternalError(err: unknown): void {
    logUnlessOutage(this.context.log, 'error', { err, sessionId: this.session.id }, 'control message failed');
  }

  private sendReady(): void {
    if (!this.phone.ready) return;
    const { width, height, capabilities } = this.phone.ready;
    this.client?.notify({
      method: 'session.ready',
      params: { session_id: this.session.id, width, height, capabilities, expires_at: this.expiresAt() },
    });
    this.ready?.end();
  }

  private expiresAt(): string {
    return new Date(this.session.expiresAt).toISOString();
  }

  private async execute(
    client: ControlClient,
    method: string,
    params: unknown,
    audit?: AuditEvent,
  ): Promise<unknown> {
    this.assertController(client);
    if (!isControlMethod(method))
      throw new RpcError(
        'methodNotFound',
        `method ${method.slice(0, 100)} does not exist; /asyncapi.json lists the methods`,
      );
    this.context.counters.calls += 1;
    if (!this.phone.ready && method !== 'session.ping' && method !== 'session.extend') {
      await this.holdUntilReady(JSON.stringify(params ?? null).length);
      this.assertController(client);
    }
    if (method === 'app.install') {
      await checkAppExists(this.context.store, this.session.accountId, this.phone.check(method, params));
      this.assertController(client);
    }
    if (method === 'session.ping') {
      checkParams(method, params);
      return null;
    }
    if (method !== 'session.extend') return this.phone.call(method, params);
    if (this.extending)
      throw new RpcError(
        'tooFast',
        'the session is already being extended; wait for the response to that call',
      );
    this.extending = true;
    try {
      const { session, result } = await extendSession(this.context, this.session.id, params, audit);
      this.context.watch.update(session);
      return result;
    } finally {
      this.extending = false;
    }
  }

  /** Holds a command until the phone is ready, for a limited time. @throws RpcError -32003 */
  private holdUntilReady(bytes: number): Promise<void> {
    if (this.held.isEmpty) {
      this.agent.retryNow();
      void this.context.watch.refresh(this.session.id);
    }
    return this.held.hold(bytes);
  }

  /** A client that was taken over may still have messages in flight. They are rejected. */
  private assertController(client: ControlClient): void {
    if (client !== this.client || this.closed) {
      throw new RpcError(
        'notConnected',
        'this client no longer has control of the phone; reconnect to take control',
      );
    }
  }
}
