import type { Device } from '../../../../contract/http/device.ts';
import type { ControlResult } from '../../../../contract/sockets/control-methods.ts';
import { formatBytes } from '../../../data/format-bytes.ts';
import { texts } from '../../../texts.ts';

const text = texts.tools.device;

export type DeviceInfo = ControlResult<'device.info'>;
export type Fact = readonly [name: string, value: string];

/** Returns what is known about a phone, from its description and from its own report. Unknown facts are left out. */
export function factsOf(device: Device | undefined, info: DeviceInfo | undefined): Fact[] {
  const version = info?.os_version ?? device?.os_version;
  const facts: (readonly [string, string | undefined])[] = [
    [text.version, version && text.versionValue(version, info?.api_level)],
    [text.patch, info?.security_patch],
    [text.build, info?.build],
    [text.model, modelOf(device, info)],
    [text.abi, info?.abi],
    [text.screen, screenOf(device, info)],
    [text.battery, info?.battery && text.batteryValue(info.battery.percent, info.battery.charging)],
    [
      text.storage,
      info?.storage &&
        text.storageValue(formatBytes(info.storage.free_bytes), formatBytes(info.storage.total_bytes)),
    ],
    [text.memory, info?.memory && formatBytes(info.memory.total_bytes)],
    [text.network, info?.network && networkOf(info.network)],
    // Only operators receive it.
    [text.host, device?.host?.name],
  ];
  return facts.filter((fact): fact is Fact => fact[1] !== undefined && fact[1] !== '');
}

function modelOf(device: Device | undefined, info: DeviceInfo | undefined): string | undefined {
  const model = info?.model ?? device?.model;
  return [info?.manufacturer, model].filter(Boolean).join(' ') || undefined;
}

function screenOf(device: Device | undefined, info: DeviceInfo | undefined): string | undefined {
  const [width, height] = info?.screen
    ? [info.screen.width, info.screen.height]
    : (device?.resolution.split('x').map(Number) ?? []);
  // A phone that has not described itself yet has the resolution 0x0.
  return width && height ? text.screenValue(width, height, info?.screen?.density) : undefined;
}

function networkOf({ kind, name, addresses }: NonNullable<DeviceInfo['network']>): string {
  return [text.networks[kind], name && `“${name}”`, ...addresses].filter(Boolean).join(', ');
}
