import { HARDWARE } from '../models.ts';
import type { IconName } from '../ui/icons.ts';
import type { AppHost } from './app.ts';

export type Row =
  | { readonly kind: 'section'; readonly title: string }
  | {
      readonly kind: 'page' | 'switch' | 'value';
      readonly id: string;
      readonly title: string;
      readonly summary?: string;
      readonly icon?: IconName;
      readonly color?: string;
      /** The page that a tap opens. */
      readonly page?: PageName;
    };

export type PageName = 'main' | 'about' | 'display' | 'network' | 'sound';

export interface Page {
  readonly title: string;
  readonly rows: readonly Row[];
}

const section = (title: string): Row => ({ kind: 'section', title });
const item = (
  id: string,
  title: string,
  summary: string,
  icon: IconName,
  color: string,
  page?: PageName,
): Row => ({
  kind: page ? 'page' : 'value',
  id,
  title,
  summary,
  icon,
  color,
  page,
});
const toggle = (id: string, title: string, summary: string, icon?: IconName, color?: string): Row => ({
  kind: 'switch',
  id,
  title,
  summary,
  icon,
  color,
});
const value = (id: string, title: string, summary: string): Row => ({ kind: 'value', id, title, summary });

/** The initial states of the switches. */
export const INITIAL_SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['wifi', true],
  ['bluetooth', true],
  ['auto-rotate', true],
  ['mobile-data', true],
  ['location', true],
  ['touch-sounds', true],
  ['vibrate', true],
]);

export function pageOf(name: PageName, host: AppHost): Page {
  switch (name) {
    case 'about':
      return aboutPage(host);
    case 'display':
      return displayPage(host);
    case 'network':
      return networkPage();
    case 'sound':
      return soundPage(host);
    default:
      return mainPage(host);
  }
}

function mainPage({ model, settings }: AppHost): Page {
  const place = settings.location;
  const where = place ? `${place.lat.toFixed(5)}, ${place.lng.toFixed(5)}` : 'No location has been set';
  return {
    title: 'Settings',
    rows: [
      section('Connections'),
      item(
        'network',
        'Network & internet',
        'Wi-Fi, mobile data, aeroplane mode',
        'wifi',
        '#3c78d8',
        'network',
      ),
      toggle('bluetooth', 'Bluetooth', 'Ready to pair', 'bluetooth', '#3c78d8'),
      toggle('airplane', 'Aeroplane mode', 'Turns the radios off', 'plane', '#5f7f99'),
      section('Device'),
      item('display', 'Display', 'Dark theme, brightness, rotation', 'display', '#d98324', 'display'),
      item('wallpaper', 'Wallpaper & style', 'Hills at dusk', 'wallpaper', '#b4509e'),
      item(
        'sound',
        'Sound & vibration',
        `Volume ${Math.round(settings.volume * 100)}%`,
        'sound',
        '#c2475d',
        'sound',
      ),
      toggle('notifications', 'Do not disturb', 'Notifications stay silent', 'bell', '#c2475d'),
      item('battery', 'Battery', `${HARDWARE.batteryPercent}%, about 21 hours left`, 'battery', '#3d8b55'),
      toggle('battery-saver', 'Battery saver', 'Less work in the background', 'battery', '#3d8b55'),
      item('storage', 'Storage', storageLine(), 'storage', '#5f6673'),
      section('Privacy'),
      toggle('location', 'Location', where, 'pin', '#3d8b55'),
      item('security', 'Security & privacy', 'Screen lock: swipe', 'security', '#3c78d8'),
      item('accounts', 'Passwords & accounts', 'No accounts', 'user', '#8a5cc9'),
      section('System'),
      item('language', 'Languages & input', settings.region.language, 'language', '#2f8f9d'),
      item('keyboard', 'On-screen keyboard', 'English, QWERTY', 'keyboard', '#2f8f9d'),
      item('date', 'Date & time', settings.region.timeZone, 'clock', '#d98324'),
      item('update', 'System update', 'This phone is up to date', 'update', '#3d8b55'),
      item('about', 'About phone', model.name, 'phone', '#5f6673', 'about'),
    ],
  };
}

function storageLine(): string {
  const { total_bytes: total, free_bytes: free } = HARDWARE.storage;
  return `${Math.round((1 - free / total) * 100)}% used, ${free / 1e9} GB free`;
}

function aboutPage({ model }: AppHost): Page {
  return {
    title: 'About phone',
    rows: [
      section('Device'),
      value('device-name', 'Device name', model.name),
      value('brand', 'Brand', model.brand),
      value('model', 'Model', model.code),
      section('Software'),
      value('android-version', 'Android version', String(model.os)),
      value('build', 'Build', 'Simulated phone'),
      section('Screen'),
      value('screen-size', 'Screen size', `${model.inches} inches`),
      value('resolution', 'Resolution', `${model.width} × ${model.height}`),
    ],
  };
}

function displayPage({ settings }: AppHost): Page {
  return {
    title: 'Display',
    rows: [
      section('Appearance'),
      toggle('dark-theme', 'Dark theme', 'Follows you into the night'),
      toggle('night-light', 'Night light', 'Warmer colours after sunset'),
      value('font-size', 'Font size', `${Math.round(settings.fontScale * 100)}%`),
      toggle('remove-animations', 'Remove animations', 'Windows open at once'),
      section('Screen'),
      toggle('auto-rotate', 'Auto-rotate screen', 'When the phone is turned'),
      toggle('adaptive-brightness', 'Adaptive brightness', 'Follows the light around you'),
      value('timeout', 'Screen timeout', 'Never'),
    ],
  };
}

function networkPage(): Page {
  return {
    title: 'Network & internet',
    rows: [
      section('Wi-Fi'),
      toggle('wifi', 'Wi-Fi', HARDWARE.wifi.name),
      value('address', 'IP address', HARDWARE.wifi.address),
      section('Mobile'),
      toggle('mobile-data', 'Mobile data', 'Simulated operator'),
      toggle('roaming', 'Roaming', 'Off when abroad'),
    ],
  };
}

function soundPage({ settings }: AppHost): Page {
  return {
    title: 'Sound & vibration',
    rows: [
      section('Volume'),
      value('media-volume', 'Media volume', `${Math.round(settings.volume * 100)}%`),
      section('System sounds'),
      toggle('touch-sounds', 'Touch sounds', 'A click for each tap'),
      toggle('vibrate', 'Touch vibration', 'A short buzz for each tap'),
    ],
  };
}
