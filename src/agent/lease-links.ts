import type { Controller } from '../contract/sockets/control-notifications.ts';
import type { PhoneSession } from '../drivers/driver.ts';
import type { Link } from '../link/link.ts';
import type { Log } from '../util/log.ts';
import type { PauseWatch } from '../util/pause-watch.ts';
import { AdbTunnels } from './adb/adb-tunnels.ts';
import type { AppInstaller } from './app-installer.ts';
import { LeaseControls } from './lease-controls.ts';
import { LeaseFiles } from './lease-files.ts';
import type { LeaseRecorder } from './recording/lease-recorder.ts';
import { StreamFanout } from './stream-fanout.ts';

const CONTROL_LINKS_WAITING = 4;

interface LeaseLinksOptions {
  log: Log;
  pauses: PauseWatch;
  recorder: LeaseRecorder | null;
  requestKeyframe: () => void;
  /** Called when no link of one kind is left. */
  onEmpty: () => void;
  /** Called when messages wait until the control plane has confirmed the lease. */
  onDoubt: () => void;
}

/** The links to one lease: its screen, its controls, its adb tunnels and its files. */
export class LeaseLinks {
  readonly fanout: StreamFanout;
  readonly adbTunnels: AdbTunnels;
  readonly files: LeaseFiles;
  /** null until the phone is connected. */
  controls: LeaseControls | null = null;
  private readonly options: LeaseLinksOptions;
  private waitingControls: Link[] = [];
  private readonly controllers = new WeakMap<Link, Controller>();

  constructor(options: LeaseLinksOptions) {
    this.options = options;
    this.fanout = new StreamFanout(options);
    this.adbTunnels = new AdbTunnels(options);
    this.files = new LeaseFiles(options);
  }

  get areInUse(): boolean {
    return (
      this.fanout.linkCount > 0 ||
      this.adbTunnels.count > 0 ||
      this.files.count > 0 ||
      this.controls?.isHeld ||
      this.waitingControls.some((link) => !link.closed)
    );
  }

  /** Attaches a link for the screen or the controls. A control link waits until the phone is connected. */
  attach(link: Link, by?: Controller): void {
    if (by) this.controllers.set(link, by);
    if (link.hello.purpose === 'stream') this.fanout.attach(link);
    else if (this.controls) this.giveControl(this.controls, link);
    else this.addWaiting(link);
  }

  /** Called when the phone is connected. Gives control to the client that was the last to ask for it. */
  serveControls(phone: PhoneSession, installer: AppInstaller): void {
    const controls = new LeaseControls(phone, { ...this.options, installer });
    this.controls = controls;
    for (const link of this.waitingControls.splice(0)) this.giveControl(controls, link);
  }

  /** Closes all links and aborts the calls in progress. Later links are accepted. */
  cut(): void {
    this.controls?.cut();
    void this.closeOthers();
  }

  /** Resolves when the phone has undone what its adb tunnels made it do, and has removed incomplete files. */
  async close(): Promise<void> {
    this.controls?.close();
    await this.closeOthers();
  }

  private async closeOthers(): Promise<void> {
    this.fanout.close();
    for (const link of this.waitingControls.splice(0)) link.close();
    await Promise.all([this.adbTunnels.close(), this.files.close()]);
  }

  private giveControl(controls: LeaseControls, link: Link): void {
    controls.attach(link, this.fanout.videoSize!, this.controllers.get(link));
  }

  private addWaiting(link: Link): void {
    this.waitingControls.push(link);
    if (this.waitingControls.length > CONTROL_LINKS_WAITING) this.waitingControls.shift()!.close();
  }
}
