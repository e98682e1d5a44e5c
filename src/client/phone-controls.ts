import type {
  ControlMethod,
  ControlNotification,
  ControlNotifications,
  ControlParams,
  ControlResult,
  UiNode,
} from '../contract/control-methods.ts';

/** Aborting stops the waiting; a command that was sent may still be carried out. */
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
 * What one does with a phone, each a method of the control socket by its own name. Coordinates are fractions of the screen,
 * 0 to 1 from its top left. All throw ControlError when the phone refuses.
 */
export abstract class PhoneControls {
  /** Any method of the control socket. */
  abstract call<M extends ControlMethod>(
    method: M,
    params: ControlParams<M>,
    options?: CallOptions,
  ): Promise<ControlResult<M>>;

  /** Listens to what the service and the phone say; answers what stops it. */
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

  /** `ms`: how long the finger takes. */
  async swipe(from: Point, to: Point, { ms, ...options }: { ms?: number } & CallOptions = {}): Promise<void> {
    const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    await this.call('swipe', { ...line, ...(ms !== undefined && { ms }) }, options);
  }

  /** One finger's move of a gesture of several. */
  async touch(params: ControlParams<'touch'>, options?: CallOptions): Promise<void> {
    await this.call('touch', params, options);
  }

  /** Notches of a wheel: positive is right, and up. */
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

  /** Without an orientation: the other one. */
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

  async uninstall(packageName: string, options?: CallOptions): Promise<void> {
    await this.call('app.uninstall', { package: packageName }, options);
  }

  /** Installs an uploaded app, and waits until it is there. */
  async install(appId: string, { onProgress, ...options }: InstallOptions = {}): Promise<void> {
    const stop = this.on('app.progress', (progress) => progress.app_id === appId && onProgress?.(progress));
    try {
      await this.call('app.install', { app_id: appId }, options);
    } finally {
      stop();
    }
  }

  /** What is on the screen, with bounds as fractions of it. */
  async uiTree(options?: CallOptions): Promise<UiNode> {
    return (await this.call('ui.tree', {}, options)).root as UiNode;
  }

  async setLocation(lat: number, lng: number, options?: CallOptions): Promise<void> {
    await this.call('location.set', { lat, lng }, options);
  }

  /** Only where the operator allows it. */
  async shell(command: string, options?: CallOptions): Promise<ControlResult<'shell'>> {
    return this.call('shell', { command }, options);
  }
}
