import type { Check } from '../drivers/android/diagnose.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Log } from '../util/log.ts';
import { isLoopback } from '../util/loopback.ts';
import type { Config } from './config.ts';

/**
 * Creates the driver for Android phones, or returns null when it is turned off. With `auto` it starts the adb server
 * of this machine when the adb program is on the PATH. Otherwise it only checks periodically whether a server has
 * been started.
 */
export async function buildAndroidDriver(config: Config, hostId: string, log: Log): Promise<Driver | null> {
  const { adb, defaultAdbServer, dataDir, scrcpyServer, androidScreen, allowShell } = config;
  if (adb === 'off') return null;
  // Loaded on demand: a host without Android phones does not need it.
  const { AndroidDriver } = await import('../drivers/android/android-driver.ts');
  const { findAdb, startServer } = await import('../drivers/android/adb/server-program.ts');
  const address = adb === 'auto' ? defaultAdbServer : adb;
  const program = mayStartServer(config) ? await findAdb(config.path) : null;
  return new AndroidDriver({
    hostId,
    address,
    startServer: program ? (signal) => startServer(program, address.port, signal) : null,
    dataDir,
    scrcpyServer,
    screen: androidScreen,
    allowShell,
    restarts: config.restartBetweenSessions,
    log,
  });
}

/** It starts only a server on this machine, and only when the operator has not configured one. */
const mayStartServer = ({ adb, defaultAdbServer }: Config) =>
  adb === 'auto' && isLoopback(defaultAdbServer.host);

/** Checks the Android phones of this machine and what they need. */
export async function diagnoseAndroid(config: Config): Promise<Check[]> {
  const { adb, defaultAdbServer, dataDir, scrcpyServer } = config;
  if (adb === 'off') return [{ ok: true, message: 'Android phones are turned off (PHONEBOOTH_ADB=off)' }];
  const { diagnose } = await import('../drivers/android/diagnose.ts');
  return diagnose({
    address: adb === 'auto' ? defaultAdbServer : adb,
    mayStart: mayStartServer(config),
    path: config.path,
    dataDir,
    scrcpyServer,
  });
}
