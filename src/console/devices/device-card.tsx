import { useId } from 'react';
import { deviceTexts as text } from '../texts/devices.ts';
import type { DeviceEntryProps } from './device-entry.ts';
import { DeviceAction, DeviceStanding } from './device-standing.tsx';
import { capitalised } from './filter-bar.tsx';
import { PhoneSilhouette } from './phone-silhouette.tsx';
import { StarButton } from './star-button.tsx';

export function DeviceCard({ device, session, isStarred, ...actions }: DeviceEntryProps) {
  const heading = useId();
  const isLit = device.status === 'available' || session !== undefined;
  return (
    <article
      aria-labelledby={heading}
      className="relative flex min-w-0 gap-4 rounded-2xl border border-line bg-panel p-4 shadow-card transition-shadow hover:shadow-lift"
    >
      <PhoneSilhouette resolution={device.resolution} lit={isLit} />
      <div className="flex min-w-0 grow flex-col">
        <div className="-mt-2 -mr-2 flex items-center justify-between gap-1">
          <h2 id={heading} className="truncate font-semibold" title={device.name}>
            {device.name}
          </h2>
          <StarButton device={device} isStarred={isStarred} />
        </div>
        <p className="truncate text-sm text-soft">
          {capitalised(device.brand)} · {device.model}
        </p>
        <p className="truncate text-sm text-soft">{text.osValue(device.os_version)}</p>
        <p className="truncate text-sm text-soft tabular-nums">
          {text.screenValue(device.screen_size, device.resolution)}
        </p>
        <div className="mt-auto flex items-center justify-between gap-2 pt-2">
          <DeviceAction device={device} session={session} {...actions} />
          <DeviceStanding device={device} session={session} />
        </div>
      </div>
    </article>
  );
}
