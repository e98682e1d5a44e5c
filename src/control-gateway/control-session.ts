import type { WebSocket } from 'ws';
import type { Bus } from '../bus/bus.ts';
import type { EndReason } from '../contract/http/session.ts';
import { CLOSE, CLOSE_UNKNOWN, type CloseCode, closeFor } from '../contract/sockets/close-codes.ts';
import { isControlMethod } from '../contract/sockets/control-methods.ts';
import type { Controller } from '../contract/sockets/control-notifications.ts';
import { AgentLink, type AgentLinkOptions } from '../gateway/agent-link.ts';
import type { SessionWatch } from '../gateway/session-watch.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Step } from '../util/steps.ts';
import { ActionAudit } from './action-audit.ts';
import type { RecordAction, SocketActor } from './audit-event.ts';
import { checkAppExists } from './check-app-exists.ts';
import { checkParams } from './check-params.ts';
import { ControlClient, TAKEN_OVER } from './control-client.ts';
import { ExpiryWarnings } from './expiry-warnings.ts';
import { extendSession } from './extend-session.ts';
import { HeldCommands } from './held-commands.ts';
import { RpcError } from './json-rpc.ts';
import { Phone, type PhoneTiming } from './phone.ts';

export interface ControlCounters {
  sessions: number;
  clients: number;
  /** Calls made and control messages forwarded so far. */
  calls: number;
  injected: number;
  takeovers: number;
  rejected: number;
}

export interface ControlSessionOptions {
  session: SessionRow;
  store: Pick<Store, 'extend' | 'getApp' | 'getArtifactRoom'>;
  bus: Bus;
  watch: SessionWatch;
  log: Log;
  recordAction: RecordAction;
  maxDurationMinutes: number;
  link: Omit<AgentLinkOptions, 'session' | 'purpose' | 'onUp' | 'onDown' | 'log'>;
  phone: PhoneTiming;
  rate: { perSecond: number; burst: number };
  /** How long the link stays up after the client has disconnected. */
  lingerMs: number;
  counters: Pick<ControlCounters, 'calls' | 'injected' | 'takeovers'>;
  /** Called once, when control of the session closes, so that its owner can discard it. */
  onClose(): void;
}

/** Control of one session: its phone, and the one client that controls it. */
export class ControlSession {
  client: ControlClient | null = null;
  private readonly options: ControlSessionOptions;
  private session: SessionRow;
  private readonly phone: Phone;
  private readonly agent: AgentLink;
  private readonly warnings: ExpiryWarnings;
  private readonly unwatch: () => void;
  private linger: NodeJS.Timeout | undefined;
  /** Measures the client's wait until it may send commands. */
  private ready: Step | null = null;
  private readonly audit: ActionAudit;
  private readonly held = new HeldCommands();
  private extending = false;
  private closed = false;

  constructor(options: ControlSessionOptions) {
    this.options = options;
    const { session, log } = options;
    this.session = session;
    this.audit = new ActionAudit(options.recordAction);
    this.warnings = new ExpiryWarnings((seconds) =>
      this.client?.notify({ method: 'session.expiring', params: { seconds } }),
    );
    this.warnings.arm(session.remainingMs);
    this.phone = new Phone(options.phone, {
      onReady: () => {
        this.sendReady();
        this.held.release();
      },
      onNotification: (notification) => this.client?.notify(notification),
      onTakenOver: (by) => {
        this.client?.closeTakenOver(by);
        this.close(CLOSE.takenOver, TAKEN_OVER);
      },
      onProtocolError: (error) =>
        log.warn({ err: error, sessionId: session.id }, 'the agent violated the protocol'),
    });
    this.unwatch = options.watch.watch(session, {
      onChange: (changed) => this.change(changed),
      onEnd: (reason, detail) => this.end(reason, detail),
      onUnknown: () => this.close(CLOSE_UNKNOWN.code, CLOSE_UNKNOWN.reason),
    });
    this.agent = new AgentLink({
      ...options.link,
      session,
      log,
      purpose: 'control',
      by: () => this.client?.by,
      onUp: (link) => this.phone.attach(link),
      onDown: () => this.phone.detach(),
    });
  }

  /** Lets a new client take over. The previous client receives no further answers. */
  accept(socket: WebSocket, by: SocketActor & { key: Controller | undefined }): void {
    clearTimeout(this.linger);
    this.audit.recordTakeover(this.session, by);
    if (this.client) {
      this.options.counters.takeovers += 1;
      this.phone.rejectCalls(TAKEN_OVER);
      this.held.drop(TAKEN_OVER);
      this.client.closeTakenOver(by.key);
    }
    const client = new ControlClient(socket, this.options.rate, by.key, {
      perform: (method, params) =>
        this.audit.perform(this.session, method, by, (event) => this.perform(client, method, params, event)),
      inject: (message) => this.inject(client, message),
      onInternalError: (err) =>
        logUnlessOutage(
          this.options.log,
          'error',
          { err, sessionId: this.session.id },
          'control message failed',
        ),
    });
    this.client = client;
    const ready = this.options.link.steps.begin('control.ready', this.session.id);
    this.ready = ready;
    socket.on('close', () => {
      ready.end('abandoned');
      this.leave(client);
    });
    this.sendReady();
  }

  /** Closes the client and the link. */
  close(code: CloseCode, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.unwatch();
    this.warnings.clear();
    clearTimeout(this.linger);
    this.agent.close();
    this.phone.detach();
    this.held.drop('the socket is closing; the reason in its close frame says why');
    this.client?.close(code, reason);
    this.options.onClose();
  }

  private leave(client: ControlClient): void {
    if (client !== this.client || this.closed) return;
    this.client = null;
    this.phone.rejectCalls('the client disconnected');
    this.held.drop('the client disconnected');
    this.linger = setTimeout(() => this.close(CLOSE.ended, 'no client has control'), this.options.lingerMs);
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

  private change(session: SessionRow): void {
    const expiryChanged = session.expiresAt !== this.session.expiresAt;
    this.session = session;
    if (session.status === 'connected') this.agent.retryNow();
    if (!expiryChanged) return;
    this.warnings.arm(session.remainingMs);
    this.client?.notify({ method: 'session.extended', params: { expires_at: this.expiresAt() } });
  }

  private end(reason: EndReason, detail: string | null): void {
    this.client?.notify({
      method: 'session.ended',
      params: detail === null ? { reason } : { reason, detail },
    });
    const { code, reason: text } = closeFor(reason, detail);
    this.close(code, text);
  }

  private async perform(
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
    this.options.counters.calls += 1;
    if (!this.phone.ready && method !== 'session.ping' && method !== 'session.extend') {
      await this.holdUntilReady(JSON.stringify(params ?? null).length);
      this.assertController(client);
    }
    if (method === 'app.install') {
      await checkAppExists(this.options.store, this.session.accountId, this.phone.check(method, params));
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
      const { session, result } = await extendSession(this.options, this.session.id, params, audit);
      this.options.watch.update(session);
      return result;
    } finally {
      this.extending = false;
    }
  }

  private inject(client: ControlClient, message: Uint8Array): Promise<void> | undefined {
    this.assertController(client);
    if (!this.phone.ready)
      return this.holdUntilReady(message.byteLength).then(() => this.inject(client, message));
    this.phone.inject(message);
    this.options.counters.injected += 1;
    return undefined;
  }

  /** Holds a command until the phone is ready, for a limited time. @throws RpcError -32003 */
  private holdUntilReady(bytes: number): Promise<void> {
    if (this.held.isEmpty) {
      this.agent.retryNow();
      void this.options.watch.refresh(this.session.id);
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
