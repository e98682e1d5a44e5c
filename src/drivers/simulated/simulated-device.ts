import type { Image } from '@napi-rs/canvas';
import type { Conditions } from '../../contract/sockets/conditions.ts';
import type { ControlResult, UiNode } from '../../contract/sockets/control-methods.ts';
import type { AppDefinition, PhoneSettings } from './apps/app.ts';
import { BROWSER } from './apps/catalogue.ts';
import { InstalledApps } from './apps/installed-apps.ts';
import { INITIAL_SWITCHES } from './apps/settings-pages.ts';
import { API_LEVELS, densityOf, HARDWARE, type PhoneModel, streamedSize } from './models.ts';
import { PhoneKeys } from './phone-keys.ts';
import { Screen } from './screen.ts';
import { Shell } from './shell/shell.ts';
import { TouchDispatcher } from './shell/touch-dispatcher.ts';
import { PhoneStorage } from './storage/phone-storage.ts';
import { Animator } from './ui/animator.ts';
import type { Clock } from './ui/clock.ts';
import type { Rect, Size } from './ui/geometry.ts';
import { Region } from './ui/region.ts';
import { type Theme, themeFor } from './ui/theme.ts';
import { type Touch, toUiNode } from './ui/view.ts';
import type { InstalledPackage } from './worker-messages.ts';

export type Orientation = 'portrait' | 'landscape';

/** Callbacks from a phone to the code that runs it. */
export interface PhoneListener {
  /** Part of the screen is out of date or an animation is running, so `paint` should be called soon. */
  needsFrame(): void;
  /** The video's new size in pixels. */
  rotated(size: Size): void;
  clipboardChanged(text: string): void;
  /** A client or the settings app has changed them. */
  conditionsChanged(conditions: Conditions): void;
  /** `app` is the package of the app that writes the line, if it is an app. */
  log(level: string, tag: string, message: string, app?: string): void;
}

/** Distance in dp by which one notch of a wheel scrolls (Android's scaled scroll factor). */
const NOTCH = 64;
const MINUTE_MS = 60_000;

/** A simulated phone: handles input, keeps its state and paints its screen. It does no work between two calls. */
export class SimulatedDevice {
  readonly #model: PhoneModel;
  readonly #clock: Clock;
  readonly #listener: PhoneListener;
  readonly #animator: Animator;
  readonly #shell: Shell;
  readonly #touches: TouchDispatcher;
  readonly #keys: PhoneKeys;
  readonly #settings: PhoneSettings;
  /** Its colours are replaced when the user changes to a dark theme or back. */
  readonly #theme: Theme;
  readonly #apps: InstalledApps;
  #screen: Screen;
  #orientation: Orientation = 'portrait';
  #on = false;
  #clipboard = '';
  /** The conditions that the listener knows, as JSON. */
  #knownConditions: string;
  #storage: PhoneStorage | null = null;
  #stopMinutes: () => void = () => {};

  constructor(model: PhoneModel, clock: Clock, listener: PhoneListener) {
    this.#model = model;
    this.#apps = new InstalledApps(model.os);
    this.#clock = clock;
    this.#listener = listener;
    this.#screen = new Screen(streamedSize(model));
    this.#theme = themeFor(model.hue, false);
    this.#settings = {
      switches: new Map(INITIAL_SWITCHES),
      region: new Region(),
      fontScale: 1,
      location: null,
      volume: 0.6,
      brightness: 0.7,
    };
    this.#knownConditions = JSON.stringify(this.conditions);
    this.#animator = new Animator(clock, () => listener.needsFrame());
    this.#shell = this.#createShell();
    this.#touches = new TouchDispatcher(
      clock,
      () => this.#shell.view(),
      (area) => this.#invalidate(area),
    );
    this.#keys = new PhoneKeys(this.#shell, {
      power: (on) => this.setPower(on ?? !this.#on),
      isOn: () => this.#on,
      clipboard: this.#sharedClipboard(),
    });
  }

  get orientation(): Orientation {
    return this.#orientation;
  }

  get isOn(): boolean {
    return this.#on;
  }

  get locked(): boolean {
    return this.#shell.locked;
  }

  /** The current content of the screen, in pixels. */
  get screen(): Screen {
    return this.#screen;
  }

  /** True while an animation is running, so that a frame is due as soon as the previous one has been sent. */
  get animating(): boolean {
    return this.#on && this.#animator.active;
  }

  /** Paints the parts of the screen that are out of date. */
  paint(): void {
    this.#animator.step();
    this.#screen.paint((painter) => {
      if (this.#on) this.#shell.draw(painter, this.#touches.pressedId);
      else painter.fill(this.#screen.bounds, '#000000');
    });
  }

  /** `at` is in fractions of the screen. */
  touch(touch: Touch): void {
    if (!this.#on) return;
    const { width, height } = this.#screen.bounds;
    // Fraction 1 is clamped, so that the lower and right edges belong to the screen.
    const at = { x: Math.min(touch.at.x, 0.9999) * width, y: Math.min(touch.at.y, 0.9999) * height };
    if (touch.action === 'down') {
      this.#listener.log('D', 'InputDispatcher', `touch down at ${Math.round(at.x)}, ${Math.round(at.y)} dp`);
    }
    this.#touches.touch({ ...touch, at });
  }

  /** Scrolls by notches of a wheel: positive is right and up. */
  wheel(at: { x: number; y: number }, right: number, up: number): void {
    if (!this.#on) return;
    const { width, height } = this.#screen.bounds;
    this.#touches.wheel({ x: at.x * width, y: at.y * height }, { x: right * NOTCH, y: -up * NOTCH });
  }

  /** Presses a key, given by Android's key code and meta state. Keys act when they go down. */
  keyDown(code: number, meta: number): void {
    // The log may be recorded, so it must not contain typed text.
    this.#listener.log('D', 'InputDispatcher', 'key down');
    this.#keys.down({ code, meta });
  }

  typeText(text: string): void {
    if (this.#on) this.#keys.type(text);
  }

  setPower(on: boolean): void {
    if (this.#on === on) return;
    this.#on = on;
    this.#touches.cancelAll();
    this.#shell.lock();
    this.#listener.log('I', 'PowerManagerService', on ? 'Waking up' : 'Going to sleep');
    this.#stopMinutes();
    if (on) this.#tickMinutes();
    this.#invalidate();
  }

  rotate(orientation: Orientation = this.#orientation === 'portrait' ? 'landscape' : 'portrait'): void {
    if (orientation === this.#orientation) return;
    this.#touches.cancelAll();
    this.#orientation = orientation;
    const { width, height } = this.#screen;
    this.#screen = new Screen({ width: height, height: width });
    this.#screen.painter.fontScale = this.#settings.fontScale;
    this.#shell.resized();
    this.#listener.log('I', 'WindowManager', `rotated to ${orientation}`);
    this.#listener.rotated({ width: height, height: width });
    this.#invalidate();
  }

  get clipboard(): string {
    return this.#clipboard;
  }

  setClipboard(text: string): void {
    if (text === this.#clipboard) return;
    this.#clipboard = text;
    this.#listener.clipboardChanged(text);
  }

  /** The shared storage. It is created when it is first used, because drawing its pictures takes time. */
  get storage(): PhoneStorage {
    this.#storage ??= new PhoneStorage(
      () => this.#clock.date().getTime(),
      () => this.#invalidate(),
    );
    return this.#storage;
  }

  /** The preinstalled apps and those installed later. */
  get apps(): readonly AppDefinition[] {
    return this.#apps.all;
  }

  /** @throws DriverError when a real phone's package manager would reject the app. */
  install(app: InstalledPackage, image: Image | null): void {
    const before = this.#apps.find(app.packageName);
    const added = this.#apps.add(app, image);
    if (before) this.#shell.stop(before);
    this.#shell.shade.add(added, before ? `Updated to version ${app.version}` : 'Installed. Tap to open.');
    this.#listener.log('I', 'PackageManager', `installed ${app.packageName} ${app.version}`);
    this.#invalidate();
  }

  /** @throws DriverError for an app that does not exist or is preinstalled. */
  uninstall(packageName: string): void {
    this.#shell.stop(this.#apps.remove(packageName));
    this.#shell.shade.remove(packageName);
    this.#listener.log('I', 'PackageManager', `uninstalled ${packageName}`);
    this.#invalidate();
  }

  /** The package of the app in the foreground; null on the home screen. */
  get front(): string | null {
    return this.#shell.front?.package ?? null;
  }

  /** Brings an app to the foreground, waking and unlocking the phone. Returns false if there is no such app. */
  launch(packageName: string): boolean {
    const definition = this.#apps.find(packageName);
    if (!definition) return false;
    this.#wake();
    this.#shell.open(definition);
    return true;
  }

  stop(packageName: string): boolean {
    const definition = this.#apps.find(packageName);
    if (!definition) return false;
    if (this.#shell.stop(definition))
      this.#listener.log('I', 'ActivityManager', `Force stopping ${packageName}`);
    return true;
  }

  openUrl(url: string): void {
    this.#wake();
    this.#shell.open(BROWSER).openUrl?.(url);
  }

  /** Opens or closes the notification shade. */
  showNotifications(open: boolean): void {
    if (!this.#on) return;
    if (open) this.#shell.shade.expand();
    else this.#shell.shade.collapse();
  }

  setLocation(location: { lat: number; lng: number }): void {
    this.#settings.location = location;
    this.#invalidate();
  }

  /** The conditions, as `conditions.get` reports them. */
  get conditions(): Conditions {
    const { switches, region, fontScale, location } = this.#settings;
    const isOn = (name: string) => switches.get(name) === true;
    return {
      dark_mode: isOn('dark-theme'),
      font_scale: fontScale,
      locale: region.locale,
      time_zone: region.timeZone,
      airplane_mode: isOn('airplane'),
      battery_saver: isOn('battery-saver'),
      animations: !isOn('remove-animations'),
      ...(location && { location }),
    };
  }

  /** Changes the conditions that are given. They have been checked. */
  setConditions(wanted: Conditions): void {
    const { switches, region } = this.#settings;
    const turn = (name: string, isOn: boolean | undefined) => isOn === undefined || switches.set(name, isOn);
    turn('dark-theme', wanted.dark_mode);
    turn('airplane', wanted.airplane_mode);
    turn('battery-saver', wanted.battery_saver);
    turn('remove-animations', wanted.animations === undefined ? undefined : !wanted.animations);
    region.set({
      ...(wanted.locale !== undefined && { locale: wanted.locale }),
      ...(wanted.time_zone !== undefined && { timeZone: wanted.time_zone }),
    });
    if (wanted.font_scale !== undefined) this.#settings.fontScale = wanted.font_scale;
    if (wanted.location) this.#settings.location = wanted.location;
    this.#listener.log('I', 'ActivityTaskManager', 'configuration changed');
    this.#invalidate();
  }

  info(): ControlResult<'device.info'> {
    const { os, code, width, height } = this.#model;
    const { switches } = this.#settings;
    const apiLevel = API_LEVELS[os];
    const hasWifi = switches.get('wifi') === true && switches.get('airplane') !== true;
    return {
      os_version: String(os),
      ...(apiLevel !== undefined && { api_level: apiLevel }),
      build: 'Simulated phone',
      model: code,
      screen: { width, height, density: densityOf(this.#model) },
      battery: { percent: HARDWARE.batteryPercent, charging: false },
      storage: HARDWARE.storage,
      ...(hasWifi && {
        network: { kind: 'wifi', name: HARDWARE.wifi.name, addresses: [HARDWARE.wifi.address] },
      }),
    };
  }

  uiTree(): UiNode {
    const { bounds } = this.#screen;
    const off = { role: 'phone', text: 'The screen is off', bounds };
    const tree = toUiNode(this.#on ? this.#shell.view() : off, bounds);
    if (!tree) throw new Error('the screen has no size');
    return tree;
  }

  #wake(): void {
    this.setPower(true);
    this.#shell.unlock();
  }

  #invalidate(area?: Rect): void {
    this.#applySettings();
    this.#screen.invalidate(area);
    this.#listener.needsFrame();
  }

  /** Applies the settings that concern all that is drawn. A client or the settings app may have changed them. */
  #applySettings(): void {
    const { switches, fontScale } = this.#settings;
    const isDark = switches.get('dark-theme') === true;
    if (isDark !== this.#theme.isDark) Object.assign(this.#theme, themeFor(this.#model.hue, isDark));
    this.#animator.isOff = switches.get('remove-animations') === true;
    this.#screen.painter.fontScale = fontScale;
    const { conditions } = this;
    const text = JSON.stringify(conditions);
    if (text === this.#knownConditions) return;
    this.#knownConditions = text;
    this.#listener.conditionsChanged(conditions);
  }

  /** Redraws the clocks on the screen at the start of each minute. */
  #tickMinutes(): void {
    const left = MINUTE_MS - (this.#clock.date().getTime() % MINUTE_MS);
    this.#stopMinutes = this.#clock.after(left, () => {
      this.#invalidate();
      this.#tickMinutes();
    });
  }

  #sharedClipboard() {
    const text = () => this.#clipboard;
    return {
      get text() {
        return text();
      },
      set: (copied: string) => this.setClipboard(copied),
    };
  }

  #createShell(): Shell {
    const shell: Shell = new Shell({
      model: this.#model,
      theme: this.#theme,
      clock: this.#clock,
      animator: this.#animator,
      settings: this.#settings,
      clipboard: this.#sharedClipboard(),
      storage: () => this.storage,
      invalidate: (area) => this.#invalidate(area),
      measure: (text, size) => this.#screen.painter.measure(text, size),
      toast: (text) => shell.toast.show(text),
      showKeyboard: () => shell.showKeyboard(),
      size: () => this.#screen.bounds,
      apps: () => this.apps,
      log: (...line) => this.#listener.log(...line),
    });
    return shell;
  }
}
