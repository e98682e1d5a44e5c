import type { IconName } from '../ui/icons.ts';
import type { App, AppDefinition, AppHost } from './app.ts';
import { BrowserApp } from './browser.ts';
import { CalculatorApp } from './calculator.ts';
import { ClockApp } from './clock.ts';
import { FilesApp } from './files.ts';
import { NotesApp } from './notes.ts';
import { PaintApp } from './paint.ts';
import { SettingsApp } from './settings.ts';

function app(
  name: string,
  label: string,
  icon: IconName,
  background: string,
  start: (host: AppHost) => App,
): AppDefinition {
  return { package: name, label, icon: { name: icon, color: '#ffffff', background }, start };
}

export const BROWSER = app(
  'com.phonebooth.browser',
  'Browser',
  'globe',
  '#1a73e8',
  (host) => new BrowserApp(host),
);
export const SETTINGS = app(
  'com.android.settings',
  'Settings',
  'gear',
  '#5f6673',
  (host) => new SettingsApp(host),
);

/** The preinstalled apps, in the order of the home screen. The first four are in the dock. */
export const APPS: readonly AppDefinition[] = [
  app('com.phonebooth.notes', 'Notes', 'note', '#e8a317', (host) => new NotesApp(host)),
  BROWSER,
  app('com.phonebooth.paint', 'Paint', 'brush', '#d0487e', (host) => new PaintApp(host)),
  SETTINGS,
  app('com.phonebooth.calculator', 'Calculator', 'calculator', '#2f8f6b', (host) => new CalculatorApp(host)),
  app('com.phonebooth.clock', 'Clock', 'clock', '#4a5bb8', (host) => new ClockApp(host)),
  app('com.phonebooth.files', 'Files', 'folder', '#3c7a9e', (host) => new FilesApp(host)),
];
