import { MAX_ADB_TUNNELS } from '../../contract/http/session.ts';
import type { PhoneAdb } from '../../drivers/driver.ts';
import type { Link } from '../../link/link.ts';
import type { Log } from '../../util/log.ts';
import type { PauseWatch } from '../../util/pause-watch.ts';
import { ConfirmedMessages } from '../confirmed-messages.ts';
import { AdbDaemon, MAX_STREAMS } from './adb-daemon.ts';
import { AdbProtocolError, MAX_PAYLOAD } from './adb-message.ts';

/** The maximum payload in flight of all streams, doubled to leave room for small messages. */
const MAX_BUFFERED_BYTES = 2 * MAX_STREAMS * MAX_PAYLOAD;

interface AdbTunnelsOptions {
  log: Log;
  pauses: Pick<PauseWatch, 'isInDoubt' | 'whenConfirmed'>;
  onEmpty: () => void;
  /** Called when messages wait until the control plane has confirmed the lease. */
  onDoubt: () => void;
}

interface Tunnel {
  link: Link;
  daemon: AdbDaemon;
  phone: PhoneAdb;
}

/** One session's adb tunnels. Each has its own link. */
export class AdbTunnels {
  private readonly options: AdbTunnelsOptions;
  private readonly tunnels = new Map<Link, Tunnel>();
  private releasing: Promise<void>[] = [];

  constructor(options: AdbTunnelsOptions) {
    this.options = options;
  }

  get count(): number {
    return this.tunnels.size;
  }

  /** Takes ownership of both arguments. */
  attach(link: Link, phone: PhoneAdb): void {
    const daemon = new AdbDaemon({ phone, send: (bytes) => this.send(link, bytes) });
    const tunnel = { link, daemon, phone };
    this.tunnels.set(link, tunnel);
    const messages = new ConfirmedMessages<Uint8Array>({
      pauses: this.options.pauses,
      onDoubt: this.options.onDoubt,
      deliver: (message) => this.take(tunnel, message),
      // It is unknown whether the session is still live, so the client must connect again.
      reject: () => link.close(),
    });
    link.onClose(() => {
      messages.rejectAll();
      this.remove(tunnel);
    });
    link.onMessage((message) => {
      if (typeof message === 'string') link.close();
      else messages.take(message, message.length);
    });
    if (this.tunnels.size > MAX_ADB_TUNNELS) link.close();
  }

  /** Resolves when the phone has undone what its tunnels made it do, such as listening at a port. */
  async close(): Promise<void> {
    for (const link of [...this.tunnels.keys()]) link.close();
    await Promise.all(this.releasing);
  }

  private take({ link, daemon }: Tunnel, bytes: Uint8Array): void {
    try {
      daemon.take(bytes);
    } catch (error) {
      if (!(error instanceof AdbProtocolError)) throw error;
      this.options.log.info({ problem: error.message }, 'adb connection closed: malformed adb message');
      link.close();
    }
  }

  /**
   * Flow control keeps the streams within this bound. Only a client that requests data without reading it exceeds it.
   */
  private send(link: Link, bytes: Uint8Array): void {
    link.send(bytes);
    if (link.bufferedBytes > MAX_BUFFERED_BYTES) link.close();
  }

  private remove(tunnel: Tunnel): void {
    if (!this.tunnels.delete(tunnel.link)) return;
    tunnel.daemon.close();
    const release = this.release(tunnel.phone).finally(() => {
      this.releasing = this.releasing.filter((one) => one !== release);
    });
    this.releasing.push(release);
    if (this.tunnels.size === 0) this.options.onEmpty();
  }

  private async release(phone: PhoneAdb): Promise<void> {
    try {
      await phone[Symbol.asyncDispose]();
    } catch (error) {
      this.options.log.info({ err: error }, 'adb operations on a phone could not be undone');
    }
  }
}
