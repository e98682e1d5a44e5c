import type { Canvas } from '@napi-rs/canvas';
import type { App, AppDefinition, AppHost, Area } from '../apps/app.ts';
import { BROWSER } from '../apps/catalogue.ts';
import { centre, type Rect, rect, type Size } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import { Scroller } from '../ui/scroller.ts';
import { snapshot } from '../ui/snapshot.ts';
import { drawView, type View } from '../ui/view.ts';
import { switcherView } from './app-switcher.ts';
import { HomeGesture } from './home-gesture.ts';
import { homeView } from './home-screen.ts';
import { InputMethod } from './input-method.ts';
import { LockScreen } from './lock-screen.ts';
import { NotificationShade } from './notification-shade.ts';
import { RunningApps } from './running-apps.ts';
import { NAVIGATION_BAR, navigationBar, STATUS_BAR, statusBar } from './system-bars.ts';
import { Toast } from './toast.ts';
import { Transition } from './transition.ts';
import { VolumePanel } from './volume-panel.ts';
import { Wallpaper } from './wallpaper.ts';

/** Scale of the cards in the app switcher, in pixels per dp. */
const CARD_SCALE = 0.75;
const SNAPSHOT_SCALE = 1.5;

/** What the shell needs in addition to what its apps need. */
export interface ShellHost extends AppHost {
  size(): Size;
  /** The apps on the home screen, in order. */
  apps(): readonly AppDefinition[];
  log(level: 'D' | 'I' | 'W', tag: string, message: string, app?: string): void;
}

/** The system UI and everything in it: lock screen, home screen, the app in the foreground, and the overlays. */
export class Shell {
  readonly volume: VolumePanel;
  readonly toast: Toast;
  readonly shade: NotificationShade;
  readonly #host: ShellHost;
  readonly #running: RunningApps;
  readonly #lock: LockScreen;
  readonly #transition: Transition;
  readonly #inputMethod: InputMethod;
  readonly #cards: Scroller;
  readonly #homeGesture: HomeGesture;
  readonly #wallpaper: Wallpaper;
  #locked = true;
  #front: AppDefinition | null = null;
  #switching = false;

  constructor(host: ShellHost) {
    const changed = () => host.invalidate();
    this.#host = host;
    this.#running = new RunningApps(host);
    this.volume = new VolumePanel(host.clock, host.settings, changed);
    this.toast = new Toast(host.clock, (text, size) => host.measure(text, size), changed);
    this.shade = new NotificationShade({
      clock: host.clock,
      animator: host.animator,
      theme: host.theme,
      onChange: changed,
      region: host.settings.region,
      onOpen: (app) => {
        this.unlock();
        this.open(app);
      },
    });
    this.#wallpaper = new Wallpaper(host.theme.hue);
    this.#transition = new Transition(host.animator, changed);
    this.#cards = new Scroller(host.animator, changed, 'horizontal');
    this.#homeGesture = new HomeGesture({ home: () => this.home(), recents: () => this.showRecents() });
    this.#lock = new LockScreen({
      clock: host.clock,
      animator: host.animator,
      region: host.settings.region,
      onChange: changed,
      onUnlock: () => this.unlock(),
    });
    this.#inputMethod = new InputMethod(host, () => this.focused);
  }

  get locked(): boolean {
    return this.#locked;
  }

  /** The app that receives keys and text. */
  get focused(): App | null {
    if (this.#locked || this.#switching || !this.#front) return null;
    return this.#running.get(this.#front) ?? null;
  }

  get front(): AppDefinition | null {
    return this.#front;
  }

  get running(): readonly AppDefinition[] {
    return this.#running.recents.map(({ definition }) => definition);
  }

  lock(): void {
    this.#keepSnapshot();
    this.#transition.cancel();
    this.volume.dismiss();
    this.shade.hide();
    this.#switching = false;
    this.#locked = true;
    this.#lock.reset();
    this.#host.invalidate();
  }

  unlock(): void {
    if (!this.#locked) return;
    this.#locked = false;
    this.#host.log('I', 'KeyguardViewMediator', 'keyguard dismissed');
    this.#host.invalidate();
  }

  /** Brings an app to the foreground, starting it if it is not running. */
  open(definition: AppDefinition): App {
    this.#keepSnapshot();
    const { app, fresh } = this.#running.use(definition);
    const changes = this.#front !== definition;
    this.#host.log('I', 'ActivityTaskManager', `${fresh ? 'START' : 'RESUME'} ${definition.package}`);
    this.#host.log('D', 'Activity', fresh ? 'onCreate' : 'onResume', definition.package);
    this.shade.collapse();
    this.#switching = false;
    this.#inputMethod.show();
    this.#front = definition;
    if (changes && !this.#locked)
      this.#transition.open(this.#snapshotOf(app, SNAPSHOT_SCALE), this.#iconOf(definition), this.#screen);
    this.#host.invalidate();
    return app;
  }

  home(): void {
    this.shade.collapse();
    if (this.#locked) return;
    this.#switching = false;
    const front = this.#front;
    const app = this.focused;
    if (front && app) {
      this.#keepSnapshot();
      app.onHide?.();
      this.#transition.close(this.#snapshotOf(app, SNAPSHOT_SCALE), this.#iconOf(front), this.#screen);
    }
    this.#front = null;
    this.#host.invalidate();
  }

  back(): void {
    if (this.shade.isOpen) {
      this.shade.collapse();
      return;
    }
    if (this.#locked) return;
    if (this.#switching) {
      this.#switching = false;
    } else if (this.#inputMethod.isShown) {
      this.#inputMethod.hide();
    } else if (this.#front && !(this.focused?.onBack?.() ?? false)) {
      this.home();
    }
    this.#host.invalidate();
  }

  showRecents(): void {
    this.shade.collapse();
    if (this.#locked) return;
    this.#keepSnapshot();
    this.#transition.cancel();
    this.#switching = !this.#switching;
    this.#cards.jumpTo(0);
    this.#host.invalidate();
  }

  /** Returns true if the app was running. */
  stop(definition: AppDefinition): boolean {
    if (this.#front === definition) {
      this.#transition.cancel();
      this.#front = null;
    }
    this.#host.invalidate();
    return this.#running.stop(definition);
  }

  showKeyboard(): void {
    this.#inputMethod.show();
  }

  /** Called when the screen's shape has changed. */
  resized(): void {
    this.#transition.cancel();
    this.#host.invalidate();
  }

  draw(painter: Painter, pressedId: string | null): void {
    if (this.#transition.running) {
      this.#wallpaper.draw(painter, this.#screen);
      drawView(painter, this.#homeView(), null);
      this.#transition.draw(painter);
      drawView(painter, { role: 'overlay', bounds: this.#screen, children: this.#overlays() }, pressedId);
    } else {
      drawView(painter, this.view(), pressedId);
    }
  }

  view(): View {
    return {
      role: 'phone',
      bounds: this.#screen,
      draw: (painter) => {
        if (this.#locked || this.#switching || !this.#front) this.#wallpaper.draw(painter, this.#screen);
      },
      children: [this.#content(), ...this.#overlays()],
    };
  }

  #content(): View {
    if (this.#locked) return this.#lock.view(this.#screen);
    if (this.#switching) return this.#switcherView();
    const front = this.#front;
    const app = front && this.#running.get(front);
    return app ? { ...app.view(this.#area), package: front.package } : this.#homeView();
  }

  #overlays(): View[] {
    const screen = this.#screen;
    const shade = this.shade.view(screen);
    const { clock, settings, theme } = this.#host;
    const { switches } = settings;
    const ink = theme.isDark ? '#ffffff' : '#1c1b20';
    const color = this.focused !== null ? ink : '#ffffff';
    const time = this.#locked && !shade ? '' : settings.region.time(clock.date());
    const hasNews = this.shade.notifications.length > 0;
    const volume = this.volume.view(screen, theme);
    const toast = this.toast.view(screen);
    return [
      ...(this.#inputMethod.isShown ? [this.#inputMethod.view()] : []),
      ...(shade ? [shade] : []),
      statusBar(screen, {
        time,
        color: shade ? ink : color,
        hasNews,
        drag: this.shade,
        isAirplaneMode: switches.get('airplane') === true,
        savesBattery: switches.get('battery-saver') === true,
      }),
      ...(this.#locked ? [] : [navigationBar(screen, color, this.#homeGesture)]),
      ...(volume ? [volume] : []),
      ...(toast ? [toast] : []),
    ];
  }

  #homeView(): View {
    return homeView(this.#host.apps(), this.#screen, this.#insetBy(STATUS_BAR, NAVIGATION_BAR), {
      day: this.#host.settings.region.day(this.#host.clock.date()),
      open: (app) => this.open(app),
      search: () => this.open(BROWSER),
    });
  }

  #switcherView(): View {
    return switcherView(this.#running.recents, this.#screen, this.#cards, this.#host.theme, {
      open: (app) => this.open(app),
      close: (app) => this.stop(app),
      clearAll: () => {
        this.#running.stopAll();
        this.#front = null;
        this.#switching = false;
        this.#host.invalidate();
      },
      leave: () => this.back(),
    });
  }

  get #screen(): Rect {
    return { x: 0, y: 0, ...this.#host.size() };
  }

  get #area(): Area {
    const bottom = this.#inputMethod.isShown ? this.#inputMethod.height : NAVIGATION_BAR;
    return { screen: this.#screen, safe: this.#insetBy(STATUS_BAR, bottom) };
  }

  #insetBy(top: number, bottom: number): Rect {
    const { width, height } = this.#host.size();
    return rect(0, top, width, height - top - bottom);
  }

  #iconOf(definition: AppDefinition): Rect {
    const id = `icon-${definition.package}`;
    const icon = this.#homeView().children?.find((view) => view.id === id);
    const middle = centre(icon?.bounds ?? this.#screen);
    return rect(middle.x - 28, middle.y - 34, 56, 56);
  }

  #snapshotOf(app: App, scale: number): Canvas {
    return snapshot(app.view(this.#area), this.#host.size(), {
      scale,
      fontScale: this.#host.settings.fontScale,
    });
  }

  #keepSnapshot(): void {
    const app = this.focused;
    if (app && this.#front) this.#running.keepSnapshot(this.#front, this.#snapshotOf(app, CARD_SCALE));
  }
}
