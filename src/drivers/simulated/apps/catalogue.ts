import type { AppDefinition } from './app.ts';
import { SettingsApp } from './settings.ts';

export const SETTINGS: AppDefinition = {
  package: 'com.android.settings',
  label: 'Settings',
  icon: { name: 'gear', color: '#ffffff', background: '#5f6673' },
  start: (host) => new SettingsApp(host),
};
export const BROWSER = SETTINGS;

/** Every app of the phone, in the order of the home screen: the first four are in the dock. */
export const APPS: readonly AppDefinition[] = [SETTINGS];
