import type { Image } from '@napi-rs/canvas';
import type { PhoneModel } from '../models.ts';
import type { PhoneStorage } from '../storage/phone-storage.ts';
import type { Animator } from '../ui/animator.ts';
import type { Clock } from '../ui/clock.ts';
import type { Rect } from '../ui/geometry.ts';
import type { IconName } from '../ui/icons.ts';
import type { Region } from '../ui/region.ts';
import type { TextField } from '../ui/text-field.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';

/** A phone's settings, which cleaning resets. */
export interface PhoneSettings {
  readonly switches: Map<string, boolean>;
  readonly region: Region;
  /** Factor for the size of texts. */
  fontScale: number;
  location: { lat: number; lng: number } | null;
  /** From 0 to 1. */
  volume: number;
  brightness: number;
}

/** The interface of the phone that its apps use. */
export interface AppHost {
  readonly model: PhoneModel;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly animator: Animator;
  readonly settings: PhoneSettings;
  /** The shared storage, which is created when it is first used. */
  storage(): PhoneStorage;
  readonly clipboard: { text: string; set(text: string): void };
  /** Requests that the screen is redrawn; with an area in dp, only that part. */
  invalidate(area?: Rect): void;
  /** Width of a text in dp. */
  measure(text: string, size: number): number;
  toast(text: string): void;
  /** Shows the keyboard again after it was hidden. */
  showKeyboard(): void;
}

/**
 * The area in which an app may draw. Backgrounds cover all of `screen`; text and controls stay inside `safe`, which
 * excludes bars and keyboard.
 */
export interface Area {
  readonly screen: Rect;
  readonly safe: Rect;
}

export interface KeyPress {
  /** Android's key code. */
  readonly code: number;
  /** Android's meta state. */
  readonly meta: number;
}

/** A running app. Its views are built whenever it is drawn or touched. */
export interface App {
  view(area: Area): View;
  /** The field that receives typed text. While there is one, the keyboard is shown. */
  readonly field?: TextField | null;
  /** Returns true if the app has handled the key. */
  onKey?(key: KeyPress): boolean;
  /** Goes one step back. Returns false if the only step left is out of the app. */
  onBack?(): boolean;
  /** Opens an address. Only called on the app that `opensUrls`. */
  openUrl?(url: string): void;
  /** Called when another app comes to the foreground. */
  onHide?(): void;
}

export interface AppDefinition {
  readonly package: string;
  readonly label: string;
  readonly icon: {
    readonly name: IconName;
    readonly color: string;
    readonly background: string;
    /** The app's own icon image, which replaces the fields above. */
    readonly image?: Image;
  };
  readonly start: (host: AppHost) => App;
}
