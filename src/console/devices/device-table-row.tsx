import { deviceTexts as text } from '../texts/devices.ts';
import { DeviceAction } from './device-action.tsx';
import type { DeviceEntryProps } from './device-entry.ts';
import { DeviceStanding } from './device-standing.tsx';
import { modelName, platformName } from './phone-facts.ts';
import { StarButton } from './star-button.tsx';

export function DeviceTableRow(props: DeviceEntryProps) {
  const { device, standing, isStarred } = props;
  const standingBadge = <DeviceStanding standing={standing} />;
  const simulated = device.kind === 'simulated' ? text.simulated : null;
  const below = [simulated, device.host?.name].filter(Boolean).join(' · ');
  return (
    <>
      <td className="pl-2">
        <StarButton device={device} isStarred={isStarred} />
      </td>
      <th scope="row" className="truncate px-3 font-semibold max-sm:px-1" title={device.name}>
        {device.name}
        <span className="block truncate text-xs font-normal text-soft max-md:hidden">{below}</span>
        <span className="block truncate font-normal text-soft max-sm:hidden md:hidden">
          {platformName(device)}
          {simulated && ` · ${simulated}`}
        </span>
        <span className="mt-0.5 block sm:hidden">{standingBadge}</span>
      </th>
      <td className="truncate px-3 text-soft max-md:hidden">{modelName(device)}</td>
      <td className="truncate px-3 text-soft max-lg:hidden">{platformName(device)}</td>
      <td className="truncate px-3 text-soft tabular-nums max-xl:hidden">
        {text.screenValue(device.screen_size, device.resolution)}
      </td>
      <td className="px-3 max-sm:hidden">{standingBadge}</td>
      <td className="px-3 text-right max-sm:pl-0">
        <DeviceAction {...props} />
      </td>
    </>
  );
}
