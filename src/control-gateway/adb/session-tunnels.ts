import type { EndReason } from '../../contract/http/session.ts';
import { CLOSE_UNKNOWN, type CloseCode, closeFor } from '../../contract/sockets/close-codes.ts';
import type { SessionListener, SessionWatch } from '../../gateway/session-watch.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { AdbTunnel } from './adb-tunnel.ts';

/** One session's adb tunnels. They end with it. */
export class SessionTunnels implements SessionListener {
  /** Tunnels that are open or have a reserved slot. */
  slots = 0;
  isClosed = false;
  private readonly tunnels = new Set<AdbTunnel>();
  private readonly session: SessionRow;
  private readonly watch: SessionWatch;
  private readonly onClose: () => void;

  /** `onClose` is called once, when the last slot is released or the session ends, so that its owner can discard it. */
  constructor(session: SessionRow, watch: SessionWatch, onClose: () => void) {
    this.session = session;
    this.watch = watch;
    this.onClose = onClose;
    watch.watch(session, this);
  }

  get accountId(): string {
    return this.session.accountId;
  }

  /** The number of bytes that wait for the clients of all tunnels. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const tunnel of this.tunnels) bytes += tunnel.waitingBytes;
    return bytes;
  }

  add(tunnel: AdbTunnel): void {
    this.tunnels.add(tunnel);
  }

  /** Removes a tunnel that is closed, and releases its slot. */
  remove(tunnel: AdbTunnel): void {
    this.tunnels.delete(tunnel);
    this.releaseSlot();
  }

  /** Releases a slot. */
  releaseSlot(): void {
    this.slots -= 1;
    if (this.slots === 0) this.finish();
  }

  close(code: CloseCode, reason: string): void {
    this.finish();
    for (const tunnel of this.tunnels) tunnel.close(code, reason);
  }

  onSessionChange(): void {}

  onSessionEnd(endReason: EndReason, detail: string | null): void {
    const { code, reason } = closeFor(endReason, detail);
    this.close(code, reason);
  }

  onSessionUnknown(): void {
    this.close(CLOSE_UNKNOWN.code, CLOSE_UNKNOWN.reason);
  }

  private finish(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.watch.unwatch(this.session.id, this);
    this.onClose();
  }
}
