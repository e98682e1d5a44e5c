import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { phonesWithoutAdb } from './usb-phones.ts';

test('names phones that are plugged in without USB debugging, and no other devices', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usb-devices-'));
  const device = async (name: string, idVendor: string, product: string, interfaces: string[]) => {
    const write = async (path: string, attributes: Record<string, string>) => {
      await mkdir(join(folder, path));
      for (const [file, value] of Object.entries(attributes))
        await writeFile(join(folder, path, file), `${value}\n`);
    };
    await write(name, { idVendor, product });
    for (const [index, it] of interfaces.entries()) {
      const [bInterfaceClass = '', bInterfaceSubClass = '', bInterfaceProtocol = ''] = it.split('/');
      await write(`${name}:1.${index}`, { bInterfaceClass, bInterfaceSubClass, bInterfaceProtocol });
    }
  };
  try {
    await device('1-1', '04e8', 'SAMSUNG_Android\u001b[31m', ['06/01/01', '02/02/01']);
    await device('1-2', '18d1', 'Pixel 8', ['06/01/01', 'ff/42/01']);
    await device('1-3', '04e8', 'PSSD T7', ['08/06/50']);
    await device('1-4', '1d6b', 'xHCI Host Controller', ['09/00/00']);
    expect(await phonesWithoutAdb(folder)).toEqual([
      'SAMSUNG_Android?[31m (Samsung) at USB port 1-1 does not offer adb: turn on USB debugging in its developer options; USB debugging cannot be turned on while Auto Blocker is on (Settings, Security and privacy)',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('returns no phones if the machine has no such list', async () => {
  expect(await phonesWithoutAdb('/nowhere/at/all')).toEqual([]);
});
