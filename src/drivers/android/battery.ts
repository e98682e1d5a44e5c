import type { ControlResult } from '../../contract/sockets/control-methods.ts';
import type { AdbDevice } from './adb/adb-device.ts';

type Battery = ControlResult<'device.info'>['battery'];

export const READ_BATTERY = 'dumpsys battery';
/** Source: AOSP BatteryManager.java, BATTERY_STATUS_CHARGING and BATTERY_STATUS_FULL. */
const CHARGING = [2, 5];

/** Parses the output of READ_BATTERY; undefined: it has no level. Source: AOSP BatteryService.java, dump(). */
export function parseBattery(text: string): Battery {
  const value = (name: string) => {
    const digits = new RegExp(`^  ${name}: (\\d{1,6})\\s*$`, 'm').exec(text)?.[1];
    return digits === undefined ? undefined : Number(digits);
  };
  const [level, scale] = [value('level'), value('scale') ?? 100];
  if (level === undefined || scale === 0) return undefined;
  const status = value('status');
  return {
    percent: Math.min(100, Math.round((level / scale) * 100)),
    ...(status !== undefined && { charging: CHARGING.includes(status) }),
  };
}

/** The charge in percent; null: the phone does not report it. @throws AdbError, or the signal's reason. */
export async function readBatteryPercent(device: AdbDevice, signal: AbortSignal): Promise<number | null> {
  const { stdout } = await device.shell(READ_BATTERY, { signal });
  return parseBattery(stdout.toString('utf8'))?.percent ?? null;
}
