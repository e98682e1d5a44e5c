// Installs the packages of test/webdriver-clients in node_modules/.cache: the WebDriver clients and the Appium server
// that the tests run. They are too many for the dependencies of the project, and never part of a package or an image.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../test/webdriver-clients', import.meta.url));
/** The folder with the packages. Programs in it can import them. */
export const WEBDRIVER_CLIENTS = fileURLToPath(
  new URL('../node_modules/.cache/phonebooth-webdriver-clients', import.meta.url),
);
const DEADLINE_MS = 10 * 60_000;
const ATTEMPTS = 2;
/** Contains the lock file that was installed last. */
const INSTALLED = join(WEBDRIVER_CLIENTS, 'node_modules/.installed-lock.json');

/** Returns the error message, or nothing on success. */
export function installWebDriverClients() {
  const lock = readFileSync(join(SOURCE, 'package-lock.json'), 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return '';
  process.stderr.write('Installing the packages of test/webdriver-clients (npm ci), which takes a minute.\n');
  mkdirSync(WEBDRIVER_CLIENTS, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(SOURCE, name), join(WEBDRIVER_CLIENTS, name));
  // npm passes the settings of the script that it runs to other commands of npm in their environment.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  let complaint = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { status, stderr, error } = spawnSync(
      'npm',
      ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      {
        cwd: WEBDRIVER_CLIENTS,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
        timeout: DEADLINE_MS,
      },
    );
    if (status === 0) {
      writeFileSync(INSTALLED, lock);
      return '';
    }
    complaint = error?.message ?? stderr.trim();
  }
  return complaint;
}
