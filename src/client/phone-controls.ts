import type { Conditions, ConditionsReport } from '../contract/sockets/conditions.ts';
import type {
  ControlMethod,
  ControlParams,
  ControlResult,
  UiNode,
} from '../contract/sockets/control-methods.ts';
import type { ControlNotification, ControlNotifications } from '../contract/sockets/control-notifications.ts';

/** Aborting the signal stops the wait. The phone may still execute a command that was already sent. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface InstallOptions extends CallOptions {
  onProgress?: (progress: ControlNotifications['app.progress']) => void;
}

interface Point {
  x: number;
  y: number;
}

/**
 * The actions on a phone, each named after its method of the control socket. Coordinates are fractions of the screen,
 * 0 to 1 from its top left corner. All methods throw ControlError when the phone rejects the command.
 */
export abstract class PhoneControls {
  /** Calls any method of the control socket. */
  abstract call<M extends ControlMethod>(
    method: M,
    params: ControlParams<M>,
    options?: CallOptions,
  ): Promise<ControlResult<M>>;

  /** Subscribes to notifications of the service and the phone. Returns a function that unsubscribes. */
  abstract on<M extends ControlNotification['method']>(
    method: M,
    listener: (params: ControlNotifications[M]) => void,
  ): () => void;

  async tap(x: number, y: number, options?: CallOptions): Promise<void> {
    await this.call('tap', { x, y }, options);
  }

  async longPress(
    x: number,
    y: number,
    { ms, ...options }: { ms?: number } & CallOptions = {},
  ): Promise<void> {
    await this.call('long_press', { x, y, ...(ms !== undefined && { ms }) }, options);
  }

  /** `ms` is the duration of the gesture. */
  async swipe(from: Point, to: Point, { ms, ...options }: { ms?: number } & CallOptions = {}): Promise<void> {
    const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    await this.call('swipe', { ...line, ...(ms !== undefined && { ms }) }, options);
  }

  /** Sends one event of one finger of a multi-touch gesture. */
  async touch(params: ControlParams<'touch'>, options?: CallOptions): Promise<void> {
    await this.call('touch', params, options);
  }

  /** Distances are in wheel notches: positive values scroll right and up. */
  async scroll(x: number, y: number, dx: number, dy: number, options?: CallOptions): Promise<void> {
    await this.call('scroll', { x, y, dx, dy }, options);
  }

  /** An Android key name without its prefix: `HOME`, `BACK`, `ENTER`, `VOLUME_UP`. */
  async key(
    key: string,
    { signal, ...more }: Omit<ControlParams<'key'>, 'key'> & CallOptions = {},
  ): Promise<void> {
    await this.call('key', { key, ...more }, { signal });
  }

  async text(text: string, options?: CallOptions): Promise<void> {
    await this.call('text', { text }, options);
  }

  /** Without an orientation, it switches to the other one. */
  async rotate(orientation?: 'portrait' | 'landscape', options?: CallOptions): Promise<void> {
    await this.call('rotate', orientation === undefined ? {} : { orientation }, options);
  }

  async power(on: boolean, options?: CallOptions): Promise<void> {
    await this.call('power', { on }, options);
  }

  async clipboard(options?: CallOptions): Promise<string> {
    return (await this.call('clipboard.get', {}, options)).text;
  }

  async setClipboard(
    text: string,
    { paste, ...options }: { paste?: boolean } & CallOptions = {},
  ): Promise<void> {
    await this.call('clipboard.set', { text, ...(paste !== undefined && { paste }) }, options);
  }

  async openUrl(url: string, options?: CallOptions): Promise<void> {
    await this.call('open_url', { url }, options);
  }

  async apps(options?: CallOptions): Promise<ControlResult<'app.list'>['apps']> {
    return (await this.call('app.list', {}, options)).apps;
  }

  async launch(
    packageName: string,
    { activity, ...options }: { activity?: string } & CallOptions = {},
  ): Promise<void> {
    const params = { package: packageName, ...(activity !== undefined && { activity }) };
    await this.call('app.launch', params, options);
  }

  async stopApp(packageName: string, options?: CallOptions): Promise<void> {
    await this.call('app.stop', { package: packageName }, options);
  }

  /** Stops the app and deletes its data, as if it had just been installed. */
  async clearApp(packageName: string, options?: CallOptions): Promise<void> {
    await this.call('app.clear', { package: packageName }, options);
  }

  async uninstall(packageName: string, options?: CallOptions): Promise<void> {
    await this.call('app.uninstall', { package: packageName }, options);
  }

  /** Installs an uploaded app and waits until it is installed. */
  async install(appId: string, { onProgress, ...options }: InstallOptions = {}): Promise<void> {
    const stop = this.on('app.progress', (progress) => progress.app_id === appId && onProgress?.(progress));
    try {
      await this.call('app.install', { app_id: appId }, options);
    } finally {
      stop();
    }
  }

  /** Returns the tree of UI elements on the screen, with bounds as fractions of the screen. */
  async uiTree(options?: CallOptions): Promise<UiNode> {
    return (await this.call('ui.tree', {}, options)).root as UiNode;
  }

  async setLocation(lat: number, lng: number, options?: CallOptions): Promise<void> {
    await this.call('location.set', { lat, lng }, options);
  }

  /** Returns the conditions of the phone, such as dark mode, and why it cannot change some of them. */
  async conditions(options?: CallOptions): Promise<ConditionsReport> {
    return this.call('conditions.get', {}, options);
  }

  /**
   * Changes conditions until the end of the session, and returns all of them. If the phone does not support one of
   * them, or one fails, none is changed.
   */
  async setConditions(conditions: Conditions, options?: CallOptions): Promise<ConditionsReport> {
    return this.call('conditions.set', conditions, options);
  }

  /**
   * Adds a label to the recording of the session by the service, such as the name of a test. Returns false when the
   * session is not recorded.
   */
  async mark(label: string, options?: CallOptions): Promise<boolean> {
    return (await this.call('recording.mark', { label }, options)).recorded;
  }

  /** Fails unless the operator has enabled shell access. */
  async shell(command: string, options?: CallOptions): Promise<ControlResult<'shell'>> {
    return this.call('shell', { command }, options);
  }
}
