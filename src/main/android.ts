import type { Driver } from '../drivers/driver.ts';
import type { Log } from '../util/log.ts';
import type { Config } from './config.ts';

const THIS_MACHINE = ['127.0.0.1', '::1', 'localhost'];

/**
 * The driver of Android phones, or null where it is turned off. With `auto` it starts the adb server of this machine
 * when the adb program is on the PATH, and else only looks now and then whether a server has come up.
 */
export async function buildAndroidDriver(config: Config, hostId: string, log: Log): Promise<Driver | null> {
  const { adb, usualAdbServer, dataDir, scrcpyServer, androidScreen, allowShell } = config;
  if (adb === 'off') return null;
  // Loaded where it is used: a host without Android phones starts without it.
  const { AndroidDriver } = await import('../drivers/android/android-driver.ts');
  const { findAdb, startServer } = await import('../drivers/android/adb/server-program.ts');
  const address = adb === 'auto' ? usualAdbServer : adb;
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

/** Only a server of this machine, and where the operator has not named one. */
const mayStartServer = ({ adb, usualAdbServer }: Config) =>
  adb === 'auto' && THIS_MACHINE.includes(usualAdbServer.host);

/** What `phonebooth doctor` says: a line for each thing that was looked at, and whether all is well. */
export async function diagnoseAndroid(config: Config): Promise<{ lines: string[]; well: boolean }> {
  const { adb, usualAdbServer, dataDir, scrcpyServer } = config;
  if (adb === 'off') return { lines: ['Android phones are turned off (PHONEBOOTH_ADB=off).'], well: true };
  const { diagnose } = await import('../drivers/android/diagnose.ts');
  return diagnose({
    address: adb === 'auto' ? usualAdbServer : adb,
    mayStart: mayStartServer(config),
    path: config.path,
    dataDir,
    scrcpyServer,
  });
}
