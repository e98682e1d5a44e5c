import type { Image } from '@napi-rs/canvas';
import type { PhoneModel } from '../models.ts';
import type { Animator } from '../ui/animator.ts';
import type { Clock } from '../ui/clock.ts';
import type { Rect } from '../ui/geometry.ts';
import type { IconName } from '../ui/icons.ts';
import type { TextField } from '../ui/text-field.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';

/** What a phone is set to; lost when it is cleaned. */
export interface PhoneSettings {
  readonly switches: Map<string, boolean>;
  location: { lat: number; lng: number } | null;
  /** 0 to 1. */
  volume: number;
  brightness: number;
}

/** What an app has of the phone that it runs on. */
export interface AppHost {
  readonly model: PhoneModel;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly animator: Animator;
  readonly settings: PhoneSettings;
  readonly clipboard: { text: string; set(text: string): void };
  /** Asks for the screen to be drawn again; with an area in dp, for that part only. */
  invalidate(area?: Rect): void;
  /** Width of a text in dp. */
  measure(text: string, size: number): number;
  toast(text: string): void;
  /** Brings the keyboard back when it was put away. */
  showKeyboard(): void;
}

/** Where an app may draw: all of `screen`, but what is to be read or tapped inside `safe`, clear of bars and keyboard. */
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

/** A running app. It is asked for its views whenever it is drawn or touched. */
export interface App {
  view(area: Area): View;
  /** The field that typed text goes to; while there is one, the keyboard is shown. */
  readonly field?: TextField | null;
  /** True when the app has used the key. */
  onKey?(key: KeyPress): boolean;
  /** Goes one step back; false when there is nowhere to go but out of the app. */
  onBack?(): boolean;
  /** Opens an address; only the app that `opensUrls`. */
  openUrl?(url: string): void;
  /** Another app has come to the front. */
  onHide?(): void;
}

export interface AppDefinition {
  readonly package: string;
  readonly label: string;
  readonly icon: {
    readonly name: IconName;
    readonly color: string;
    readonly background: string;
    /** The app's own picture, in place of all that. */
    readonly picture?: Image;
  };
  readonly start: (host: AppHost) => App;
}
