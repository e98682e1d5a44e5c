import type { WebSocket } from 'ws';
import { CLOSE_UNKNOWN, type CloseCode, closeFor } from '../../contract/sockets/close-codes.ts';
import type { SessionWatch } from '../../gateway/session-watch.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { AdbTunnel } from './adb-tunnel.ts';

/** One session's adb tunnels. They end with it. */
export class SessionTunnels {
  /** Tunnels that are open or have a reserved slot. */
  places = 0;
  isClosed = false;
  private readonly tunnels = new Set<AdbTunnel>();
  private readonly unwatch: () => void;
  private readonly onClose: () => void;

  /** `onClose` is called once, when the room closes, so that its owner can discard it. */
  constructor(session: SessionRow, watch: SessionWatch, onClose: () => void) {
    this.onClose = onClose;
    this.unwatch = watch.watch(session, {
      onChange: () => {},
      onEnd: (reason, detail) => {
        const { code, reason: words } = closeFor(reason, detail);
        this.close(code, words);
      },
      onUnknown: () => this.close(CLOSE_UNKNOWN.code, CLOSE_UNKNOWN.reason),
    });
  }

  add(socket: WebSocket, tunnel: AdbTunnel): void {
    this.tunnels.add(tunnel);
    socket.once('close', () => this.tunnels.delete(tunnel));
  }

  /** Releases a slot. */
  leave(): void {
    this.places -= 1;
    if (this.places === 0) this.finish();
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
