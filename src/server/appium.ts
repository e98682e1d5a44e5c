import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Check } from '../drivers/android/diagnose.ts';
import type { Config } from './config.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const OLDEST_VERSION = 3;

/** Checks the Appium program of this host. Empty if none is configured. Never throws. */
export async function diagnoseAppium({
  appium,
  appiumEnv: env,
}: Pick<Config, 'appium' | 'appiumEnv'>): Promise<Check[]> {
  if (appium === null) return [];
  const ask = async (...words: string[]) => (await run(appium, words, { env, timeout: TIMEOUT_MS })).stdout;
  try {
    const version = /^\d+\.\d+\.\S+$/m.exec(await ask('--version'))?.[0];
    if (version === undefined || Number.parseInt(version, 10) < OLDEST_VERSION)
      return [
        failed(appium, `is version ${version ?? 'unknown'}; install Appium ${OLDEST_VERSION} or newer`),
      ];
    const drivers = readDrivers(await ask('driver', 'list', '--installed', '--json'));
    if (drivers.length === 0)
      return [
        failed(appium, 'has no driver; run appium driver install uiautomator2 as the user of this host'),
      ];
    return [{ ok: true, message: `Appium ${version} has the drivers ${drivers.join(', ')}` }];
  } catch (error) {
    const [line] = (error as Error).message.trim().split('\n').slice(-1);
    return [failed(appium, `cannot be run: ${line}`)];
  }
}

const failed = (program: string, what: string): Check => ({
  ok: false,
  message: `${program} (PHONEBOOTH_APPIUM) ${what}`,
});

/** The automation names and versions of the installed drivers. */
function readDrivers(json: string): string[] {
  const drivers = JSON.parse(json) as Record<string, { automationName?: string; version?: string }>;
  return Object.values(drivers).map(({ automationName, version }) => `${automationName} ${version}`);
}
