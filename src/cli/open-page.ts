import { spawn } from 'node:child_process';
import { platform } from 'node:os';

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted word for the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a page in the browser of the person at this terminal; where there is none, they have its address. */
export function openPage(url: string): void {
  const [program, ...words] = OPENERS[platform()] ?? ['xdg-open'];
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
