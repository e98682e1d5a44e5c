import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Folder in which Linux lists USB devices: a folder for each (`1-2`), and one for each of its interfaces (`1-2:1.0`).
 */
const USB_DEVICES = '/sys/bus/usb/devices';
/**
 * Phone makers by USB vendor identifier, and what prevents adb on their phones apart from the USB debugging switch.
 */
export const MAKERS: Record<string, [name: string, advice: string]> = {
  '04e8': [
    'Samsung',
    'USB debugging cannot be turned on while Auto Blocker is on (Settings, Security and privacy)',
  ],
  '12d1': ['Huawei', 'also turn on "Allow ADB debugging in charge only mode"'],
  '339b': ['Honor', 'also turn on "Allow ADB debugging in charge only mode"'],
  '2717': ['Xiaomi', 'also turn on "USB debugging (Security settings)"'],
  '22d9': ['OPPO, realme or OnePlus', ''],
  '2a70': ['OnePlus', ''],
  '2d95': ['vivo', ''],
  '18d1': ['Google', ''],
  '22b8': ['Motorola', ''],
  '0fce': ['Sony', ''],
};
/** Interface classes that such a phone offers: still image (MTP and PTP), and vendor-specific. */
const PHONE_CLASSES = ['06', 'ff'];
/** Class, subclass and protocol of adb's interface (AOSP adb/adb.h, ADB_CLASS, ADB_SUBCLASS, ADB_PROTOCOL). */
const ADB_INTERFACE = 'ff/42/01';
/** Upper limit on the devices that are examined, more than any phone host has. */
const MAX_DEVICES = 1_000;

/**
 * Phones that are plugged into this machine without offering adb, as text for the operator. A phone on a charge-only
 * cable is not among them, because the machine cannot detect it.
 */
export async function phonesWithoutAdb(folder = USB_DEVICES): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).slice(0, MAX_DEVICES);
  const found: string[] = [];
  for (const name of names.filter((it) => !it.includes(':'))) {
    const maker = MAKERS[await attribute(folder, name, 'idVendor')];
    if (!maker) continue;
    const interfaces = await Promise.all(
      names.filter((it) => it.startsWith(`${name}:`)).map((it) => interfaceOf(folder, it)),
    );
    const isPhone = interfaces.some((it) => PHONE_CLASSES.includes(it.split('/')[0]!));
    if (!isPhone || interfaces.includes(ADB_INTERFACE)) continue;
    const product = await attribute(folder, name, 'product');
    const [make, advice] = maker;
    found.push(
      `${product || 'a phone'} (${make}) at USB port ${name} does not offer adb: turn on USB debugging in its developer options${advice && `; ${advice}`}`,
    );
  }
  return found;
}

async function interfaceOf(folder: string, name: string): Promise<string> {
  const files = ['bInterfaceClass', 'bInterfaceSubClass', 'bInterfaceProtocol'];
  return (await Promise.all(files.map((file) => attribute(folder, name, file)))).join('/');
}

async function attribute(folder: string, name: string, file: string): Promise<string> {
  const text = await readFile(join(folder, name, file), 'utf8').catch(() => '');
  // The device itself supplies its product name, so it is not trusted.
  return text
    .trim()
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 100);
}
