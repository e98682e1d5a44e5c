import type { WebSocket } from 'ws';
import type { CloseCode } from '../../contract/sockets/close-codes.ts';
import type { SessionWatch } from '../../gateway/session-watch.ts';
import { closeAtSessionEnd } from '../../gateway/socket-gateway.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { AdbTunnel } from './adb-tunnel.ts';

/** One session's adb tunnels. They end with it. */
export class SessionTunnels {
  /** Tunnels that are open or have a reserved slot. */
  slots = 0;
  isClosed = false;
  private readonly tunnels = new Set<AdbTunnel>();
  private readonly unwatch: () => void;
  private readonly onClose: () => void;

  /** `onClose` is called once, when the last slot is released or the session ends, so that its owner can discard it. */
  constructor(session: SessionRow, watch: SessionWatch, onClose: () => void) {
    this.onClose = onClose;
    this.unwatch = watch.watch(session, {
      onChange: () => {},
      ...closeAtSessionEnd((code, reason) => this.close(code, reason)),
    });
  }

  add(socket: WebSocket, tunnel: AdbTunnel): void {
    this.tunnels.add(tunnel);
    socket.once('close', () => this.tunnels.delete(tunnel));
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

  private finish(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.unwatch();
    this.onClose();
  }
}
