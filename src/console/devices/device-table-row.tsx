import { deviceTexts as text } from '../texts/devices.ts';
import type { DeviceEntryProps } from './device-entry.ts';
import { DeviceAction, DeviceStanding } from './device-standing.tsx';
import { capitalised } from './filter-bar.tsx';
import { StarButton } from './star-button.tsx';

export function DeviceTableRow({ device, session, isStarred, ...actions }: DeviceEntryProps) {
  return (
    <>
      <td className="pl-2">
        <StarButton device={device} isStarred={isStarred} />
      </td>
      <th scope="row" className="truncate px-3 font-semibold max-sm:px-1" title={device.name}>
        {device.name}
        <span className="block truncate font-normal text-soft max-sm:hidden md:hidden">
          {capitalised(device.brand)} · {text.osValue(device.os_version)}
        </span>
        <span className="mt-0.5 block sm:hidden">
          <DeviceStanding device={device} session={session} />
        </span>
      </th>
      <td className="truncate px-3 text-soft max-md:hidden">
        {capitalised(device.brand)} · {device.model}
      </td>
      <td className="truncate px-3 text-soft max-lg:hidden">{device.os_version}</td>
      <td className="truncate px-3 text-soft tabular-nums max-lg:hidden">
        {text.screenValue(device.screen_size, device.resolution)}
      </td>
      <td className="px-3 max-sm:hidden">
        <DeviceStanding device={device} session={session} />
      </td>
      <td className="px-3 text-right max-sm:pl-0">
        <DeviceAction device={device} session={session} {...actions} />
      </td>
    </>
  );
}
