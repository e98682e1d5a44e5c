import { useId } from 'react';
import { deviceTexts as text } from '../texts/devices.ts';
import { BatteryLevel } from './battery-level.tsx';
import { DeviceAction } from './device-action.tsx';
import type { DeviceEntryProps } from './device-entry.ts';
import { DeviceStanding } from './device-standing.tsx';
import { modelName, platformName } from './phone-facts.ts';
import { PhoneSilhouette } from './phone-silhouette.tsx';
import { StarButton } from './star-button.tsx';

export function DeviceCard(props: DeviceEntryProps) {
  const { device, standing, isStarred } = props;
  const heading = useId();
  const isLit = standing.state === 'available' || standing.state === 'yours';
  const where = [
    ...(device.kind === 'simulated' ? [text.simulated] : []),
    ...(device.host ? [device.host.name] : []),
  ];
  const platform = [platformName(device), ...where].join(' · ');
  return (
    <article
      aria-labelledby={heading}
      className="group/phone relative flex min-w-0 gap-4 rounded-2xl border border-line bg-panel p-4 shadow-card transition-shadow hover:shadow-lift"
    >
      <PhoneSilhouette resolution={device.resolution} lit={isLit} />
      <div className="flex min-w-0 grow flex-col">
        <div className="-mt-2 -mr-2 flex items-center justify-between gap-1">
          <h2 id={heading} className="truncate font-semibold" title={device.name}>
            {device.name}
          </h2>
          <StarButton device={device} isStarred={isStarred} />
        </div>
        <p className="truncate text-sm" title={device.host && text.onHost(device.host.name)}>
          {platform}
        </p>
        <p className="truncate text-sm text-soft">{modelName(device)}</p>
        <p className="flex items-center gap-2 text-sm text-soft tabular-nums">
          <span className="truncate">{text.screenValue(device.screen_size, device.resolution)}</span>
          <BatteryLevel percent={device.battery_percent} />
        </p>
        <div className="mt-auto flex items-center justify-between gap-2 pt-2">
          <DeviceAction {...props} />
          <DeviceStanding standing={standing} isQuiet />
        </div>
      </div>
    </article>
  );
}
