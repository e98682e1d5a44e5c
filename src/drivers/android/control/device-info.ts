import type { ControlResult } from '../../../contract/sockets/control-methods.ts';
import { oneLine } from '../../../util/one-line.ts';
import { shellEach } from '../adb/shell-batch.ts';
import { failureOf } from '../adb/shell-result.ts';
import { parseBattery, READ_BATTERY } from '../battery.ts';
import { parseProperties } from '../phone-description.ts';
import type { PhoneContext } from './phone-context.ts';

export type DeviceInfo = ControlResult<'device.info'>;

const MAX_TEXT = 200;
const MAX_ADDRESSES = 16;
/** The names of network interfaces begin with their kind. `rmnet` is Qualcomm's, `ccmni` is MediaTek's. */
const INTERFACES: readonly (readonly [RegExp, NonNullable<DeviceInfo['network']>['kind']])[] = [
  [/^wlan/, 'wifi'],
  [/^eth|^usb/, 'ethernet'],
  [/^rmnet|^ccmni|^pdp|^seth/, 'mobile'],
];

/** The commands whose output has the facts, in one shell. A phone that lacks one of them leaves out its facts. */
const QUESTIONS = {
  properties: 'getprop',
  size: 'wm size',
  density: 'wm density',
  battery: READ_BATTERY,
  storage: 'df -k /data',
  memory: 'cat /proc/meminfo',
  addresses: 'ip -o addr show up',
  wifi: 'cmd wifi status',
} as const;
export type InfoOutputs = Record<keyof typeof QUESTIONS, string>;

/** @throws AdbError, or the signal's reason. */
export async function readDeviceInfo({ device }: PhoneContext, signal: AbortSignal): Promise<DeviceInfo> {
  const results = await shellEach(device, Object.values(QUESTIONS), { signal });
  const outputs = Object.keys(QUESTIONS).map((name, at) => {
    const result = results[at];
    return [name, result && failureOf(result) === null ? result.stdout.toString('utf8') : ''];
  });
  return deviceInfo(Object.fromEntries(outputs));
}

export function deviceInfo(outputs: InfoOutputs): DeviceInfo {
  const properties = parseProperties(outputs.properties);
  const property = (name: string) => oneLine(properties.get(name) ?? '', MAX_TEXT) || undefined;
  return withoutMissing<DeviceInfo>({
    os_version: property('ro.build.version.release'),
    api_level: number(properties.get('ro.build.version.sdk')),
    security_patch: property('ro.build.version.security_patch'),
    build: property('ro.build.display.id'),
    manufacturer: property('ro.product.manufacturer'),
    model: property('ro.product.model'),
    abi: property('ro.product.cpu.abi'),
    screen: screenOf(outputs),
    battery: parseBattery(outputs.battery),
    storage: storageOf(outputs.storage),
    memory: memoryOf(outputs.memory),
    network: networkOf(outputs),
  });
}

/** Settings of `wm` override what the panel has. Source: AOSP WindowManagerShellCommand.java. */
function screenOf({ size, density }: InfoOutputs): DeviceInfo['screen'] {
  const [, width, height] =
    /Override size: (\d{1,5})x(\d{1,5})/.exec(size) ?? /Physical size: (\d{1,5})x(\d{1,5})/.exec(size) ?? [];
  if (!width || !height) return undefined;
  const [, dpi] =
    /Override density: (\d{1,4})/.exec(density) ?? /Physical density: (\d{1,4})/.exec(density) ?? [];
  return { width: Number(width), height: Number(height), ...(dpi && { density: Number(dpi) }) };
}

/** The last line of `df -k`: file system, 1 KiB blocks, used, available. */
function storageOf(text: string): DeviceInfo['storage'] {
  const line = text.trim().split('\n').at(-1) ?? '';
  const [, blocks, available] = /\s(\d{1,15})\s+\d{1,15}\s+(\d{1,15})\s/.exec(line) ?? [];
  if (!blocks || !available || blocks === '0') return undefined;
  return { total_bytes: Number(blocks) * 1024, free_bytes: Number(available) * 1024 };
}

function memoryOf(text: string): DeviceInfo['memory'] {
  const total = number(/^MemTotal:\s{1,20}(\d{1,12}) kB/m.exec(text)?.[1]);
  return total === undefined ? undefined : { total_bytes: total * 1024 };
}

/** The addresses of the first interface that has one, Wi-Fi before the others. */
function networkOf({ addresses, wifi }: InfoOutputs): DeviceInfo['network'] {
  const found = addresses.split('\n').flatMap((line) => {
    const [, name, address] = /^\d{1,9}:\s{1,9}(\S{1,40})\s{1,20}inet6? ([\da-f.:]{2,45})\//.exec(line) ?? [];
    return name && address && line.includes('scope global') ? [{ name, address }] : [];
  });
  for (const [names, kind] of INTERFACES) {
    const own = found.filter(({ name }) => names.test(name)).map(({ address }) => address);
    if (own.length === 0) continue;
    const name = kind === 'wifi' ? /Wifi is connected to "([^"\n]{1,64})"/.exec(wifi)?.[1] : undefined;
    return { kind, ...(name && { name: oneLine(name, MAX_TEXT) }), addresses: own.slice(0, MAX_ADDRESSES) };
  }
  return undefined;
}

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Leaves out the facts that the phone did not report. */
function withoutMissing<T extends object>(facts: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as T;
}
