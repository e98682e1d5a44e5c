import { controlDeadlineMs } from '../contract/sockets/control-deadlines.ts';
import type { PhoneMethod } from '../contract/sockets/control-methods.ts';
import type { Controller, ControlNotification } from '../contract/sockets/control-notifications.ts';
import type { Link, LinkMessage } from '../link/link.ts';
import {
  type ControlCall,
  type ControlReply,
  encodeLinkMessage,
  LinkProtocolError,
  parseControlReply,
} from '../link/messages.ts';
import { checkParams } from './check-params.ts';
import { RpcError } from './json-rpc.ts';

export interface CallTiming {
  /** How long the phone may take to answer, milliseconds. */
  deadlineMs(method: PhoneMethod, params: object): number;
}

export const CALL_TIMING: CallTiming = {
  deadlineMs: (method, params) => controlDeadlineMs('gateway', method, params),
};

/** Maximum number of calls that may wait for the phone's answer at once. */
export const MAX_PENDING_CALLS = 64;
/** Maximum number of bytes that may wait in the link to the phone. */
const MAX_LINK_BYTES = 1024 * 1024;

type Ready = Extract<ControlReply, { type: 'ready' }>;

interface PendingCall {
  resolve: (result: unknown) => void;
  reject: (error: RpcError) => void;
  timer: NodeJS.Timeout;
}

export interface RemotePhoneListener {
  onPhoneReady(): void;
  onNotification(notification: ControlNotification): void;
  /** A client of another gateway now controls the phone. `by`: its key, if it is known. */
  onTakenOver(by: Controller | undefined): void;
  /** The agent sent a malformed message; its link has been closed. */
  onProtocolError(error: unknown): void;
}

/**
 * The phone at the other end of the control link: sends it calls and receives its answers and notifications. Call ids
 * are local to this object.
 */
export class RemotePhone {
  /** The phone's description of itself; null while it cannot be controlled. */
  ready: Ready | null = null;
  private readonly timing: CallTiming;
  private readonly listener: RemotePhoneListener;
  private readonly pending = new Map<number, PendingCall>();
  private link: Link | null = null;
  private lastId = 0;

  constructor(timing: CallTiming, listener: RemotePhoneListener) {
    this.timing = timing;
    this.listener = listener;
  }

  attach(link: Link): void {
    this.link = link;
    link.onMessage((message) => this.take(link, message));
  }

  detach(): void {
    this.link = null;
    this.ready = null;
    this.rejectCalls(
      'the connection to the phone was lost; check whether the command was executed before you repeat it',
    );
  }

  /** Rejects all pending calls with `why`. Answers that arrive later are ignored. */
  rejectCalls(why: string): void {
    for (const [id, { reject }] of this.pending) {
      this.settle(id);
      reject(new RpcError('failedOnPhone', why));
    }
  }

  /**
   * Returns the parameters with their defaults.
   * @throws RpcError when the phone does not support the call or cannot receive it now.
   */
  check(method: PhoneMethod, params: unknown): unknown {
    const { ready } = this.sendable();
    if (!ready.capabilities.includes(method)) {
      throw new RpcError(
        'unsupported',
        `this phone does not support ${method}; use a phone whose capabilities include it`,
      );
    }
    return checkParams(method, params);
  }

  /**
   * @throws RpcError when the phone does not support the call or cannot receive it now; rejects with one when the
   * call failed.
   */
  call(method: PhoneMethod, params: unknown): Promise<unknown> {
    const checked = this.check(method, params);
    const { link } = this.sendable();
    if (this.pending.size >= MAX_PENDING_CALLS) {
      throw new RpcError(
        'tooFast',
        `${MAX_PENDING_CALLS} calls are already waiting for the phone; wait for a response first`,
      );
    }
    this.lastId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const deadline = this.timing.deadlineMs(method, checked as object);
    const timer = setTimeout(expire, deadline, this, this.lastId, deadline);
    this.pending.set(this.lastId, { resolve, reject, timer });
    link.send(encodeLinkMessage({ type: 'call', id: this.lastId, method, params: checked } as ControlCall));
    return promise;
  }

  /** Sends one scrcpy control message that the caller has validated. @throws RpcError when it cannot be sent now. */
  inject(message: Uint8Array): void {
    this.sendable().link.send(message);
  }

  expire(id: number, deadlineMs: number): void {
    const call = this.settle(id);
    call?.reject(
      new RpcError(
        'failedOnPhone',
        `timed out after ${Math.round(deadlineMs / 1000)} s: the phone did not answer; look at its screen before you try again`,
      ),
    );
  }

  private sendable(): { link: Link; ready: Ready } {
    const { link, ready } = this;
    if (!link || !ready)
      throw new RpcError('notConnected', 'the phone is not ready yet; wait for session.ready');
    if (link.bufferedBytes > MAX_LINK_BYTES) {
      throw new RpcError('tooFast', 'too many bytes are waiting to be sent to the phone; send more slowly');
    }
    return { link, ready };
  }

  private settle(id: number): PendingCall | undefined {
    const call = this.pending.get(id);
    if (!call) return undefined;
    this.pending.delete(id);
    clearTimeout(call.timer);
    return call;
  }

  private take(link: Link, message: LinkMessage): void {
    if (link !== this.link) return;
    try {
      this.handle(parseControlReply(message));
    } catch (error) {
      if (!(error instanceof LinkProtocolError)) throw error;
      link.close();
      this.listener.onProtocolError(error);
    }
  }

  private handle(reply: ControlReply): void {
    switch (reply.type) {
      case 'ready':
        this.ready = reply;
        this.listener.onPhoneReady();
        return;
      case 'result':
        this.settle(reply.id)?.resolve(reply.result);
        return;
      case 'error':
        this.settle(reply.id)?.reject(new RpcError(ERROR_NAMES[reply.kind], reply.message));
        return;
      case 'taken-over':
        this.listener.onTakenOver(reply.by);
        return;
      case 'notification':
        if (reply.method === 'device.rotated' && this.ready) Object.assign(this.ready, reply.params);
        this.listener.onNotification({ method: reply.method, params: reply.params } as ControlNotification);
    }
  }
}

const ERROR_NAMES = {
  unsupported: 'unsupported',
  failed: 'failedOnPhone',
  invalid: 'invalidParams',
} as const;

function expire(phone: RemotePhone, id: number, deadlineMs: number): void {
  phone.expire(id, deadlineMs);
}
