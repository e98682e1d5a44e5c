import { spawn } from 'node:child_process';
import { platform } from 'node:os';

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` interprets its first quoted argument as the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/**
 * Opens a page in the user's default browser. Without a browser nothing happens: the user has the address on the
 * terminal.
 */
export function openPage(url: string): void {
  const [program, ...words] = OPENERS[platform()] ?? ['xdg-open'];
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
