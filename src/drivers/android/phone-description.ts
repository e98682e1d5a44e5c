import { createHash } from 'node:crypto';
import type { DeviceDescription } from '../../contract/http/device.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellEach } from './adb/shell-batch.ts';
import { parseBattery, READ_BATTERY } from './battery.ts';

/** The description of a phone that has answered all queries. */
export interface PhoneFacts {
  /** `ro.serialno`, which is the same over USB and over the network. */
  serialNumber: string;
  sdk: number;
  /** Android's id of the user whose screen is shown; 0 on most phones. */
  user: number;
  /** Changes at each start of the phone; empty: not reported. */
  bootId: string;
  description: Omit<DeviceDescription, 'id'>;
}

/** The system is still starting, so the query should be repeated soon. */
export class BootingError extends Error {}

/** Makers store the marketing name in vendor-specific properties. */
const MARKET_NAMES = [
  'ro.product.marketname',
  'ro.config.marketing_name',
  'ro.vendor.oplus.market.name',
  'ro.vivo.market.name',
  'ro.product.vendor.marketname',
];

/** Diagonals outside these limits, in inches, result from misreported densities. */
const SMALLEST = 2;
const LARGEST = 20;

/** The description of a phone that has not described itself yet. */
export const unknownPhone = (serial: string): PhoneFacts['description'] => ({
  name: `Android phone …${serial.slice(-4)}`,
  brand: 'unknown',
  model: 'unknown',
  os_version: 'unknown',
  screen_size: '0',
  resolution: '0x0',
  platform: 'android',
  kind: 'physical',
  battery_percent: null,
});

/**
 * A phone identifier that is stable for a host and a phone, whichever port the phone is plugged into, and from which
 * the serial number cannot be derived.
 */
export function phoneId(hostId: string, serialNumber: string): string {
  return `and-${createHash('sha256').update(`${hostId}\n${serialNumber}`).digest('hex').slice(0, 12)}`;
}

/**
 * Queries a phone's description.
 * @throws BootingError, AdbError, or an Error when the answers are malformed.
 */
export async function describePhone(device: AdbDevice, signal: AbortSignal): Promise<PhoneFacts> {
  const properties = parseProperties(await device.output('getprop', { signal }));
  if (properties.get('sys.boot_completed') !== '1' || !(await hasSystem(device, signal))) {
    throw new BootingError('the phone is starting');
  }
  const questions = ['am get-current-user', 'wm size', 'wm density', 'dumpsys display', READ_BATTERY];
  const results = await shellEach(device, questions, { signal });
  const [user, size, density, displays, battery] = results.map(({ stdout }) => stdout.toString('utf8'));
  const outputs = { size: size!, density: density!, displays: displays!, battery: battery! };
  const facts = toFacts(properties, outputs, device.serial);
  return { ...facts, user: parseUser(user!), bootId: await bootIdOf(device, signal) };
}

/**
 * After a crash of only the Android framework, its properties still say that it has started, but nothing can be
 * installed yet.
 */
async function hasSystem(device: AdbDevice, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await device.shell('pm path --user 0 android', { signal });
  return stdout.includes('package:');
}

/**
 * Returns an identifier that changes at each start of the phone, or an empty text where the phone does not report
 * one. Source: Linux, random(4).
 */
export async function bootIdOf(device: AdbDevice, signal: AbortSignal): Promise<string> {
  const { stdout } = await device.shell('cat /proc/sys/kernel/random/boot_id', { signal });
  return stdout.toString('latin1').trim();
}

/** Parses lines of the form `[name]: [value]`. A value may span several lines. */
export function parseProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  let name = '';
  let value: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [head, named] = /^\[([^\]]+)\]: \[/.exec(line) ?? [];
    if (named !== undefined) [name, value] = [named, []];
    value.push(line.slice(head?.length ?? 0));
    if (!name || !line.endsWith(']')) continue;
    properties.set(name, value.join('\n').slice(0, -1));
    name = '';
  }
  return properties;
}

/** `am get-current-user` prints only a number. @throws AdbError */
export function parseUser(text: string): number {
  const user = /^\s*(\d{1,9})\s*$/.exec(text)?.[1];
  if (user === undefined) throw new AdbError('the phone did not report its current user; restart it');
  return Number(user);
}

export function toFacts(
  properties: Map<string, string>,
  outputs: { size: string; density: string; displays: string; battery: string },
  serial: string,
): Omit<PhoneFacts, 'user' | 'bootId'> {
  const property = (name: string) => properties.get(name)?.trim() ?? '';
  const [, width, height] = /Physical size: (\d+)x(\d+)/.exec(outputs.size) ?? [];
  if (!width || !height) {
    throw new Error(`the phone did not report its screen size, so restart it: ${outputs.size.trim()}`);
  }
  const brand = (property('ro.product.brand') || property('ro.product.manufacturer')).toLowerCase();
  const model = property('ro.product.model');
  return {
    serialNumber: property('ro.serialno') || serial,
    sdk: Number(property('ro.build.version.sdk')) || 0,
    description: {
      name: recognisedName(brand, model, MARKET_NAMES.map(property).find(Boolean) ?? ''),
      brand: brand || 'unknown',
      model: model || 'unknown',
      os_version: property('ro.build.version.release').split('.')[0] || 'unknown',
      screen_size: inches(Number(width), Number(height), outputs),
      resolution: `${width}x${height}`,
      platform: 'android',
      kind: 'physical',
      battery_percent: parseBattery(outputs.battery)?.percent ?? null,
    },
  };
}

/**
 * Builds a name such as `Google Pixel 8` or `Xiaomi 14`: the brand appears once, and the marketing name is preferred
 * to the model code.
 */
function recognisedName(brand: string, model: string, marketName: string): string {
  const name = marketName || model;
  if (!name) return 'Android phone';
  if (!brand || name.toLowerCase().startsWith(brand)) return name;
  return `${brand[0]!.toUpperCase()}${brand.slice(1)} ${name}`;
}

/**
 * The diagonal, computed from the panel's own dots per inch. Android's rounded density is only used where those are
 * implausible.
 */
function inches(width: number, height: number, screen: { density: string; displays: string }): string {
  const [, x, y] = /([\d.]{1,12}) x ([\d.]{1,12}) dpi/.exec(screen.displays) ?? [];
  const measured = Math.hypot(width / Number(x), height / Number(y));
  if (measured >= SMALLEST && measured <= LARGEST) return measured.toFixed(1);
  const density = Number(/Physical density: (\d+)/.exec(screen.density)?.[1]);
  return density > 0 ? (Math.hypot(width, height) / density).toFixed(1) : '0';
}
