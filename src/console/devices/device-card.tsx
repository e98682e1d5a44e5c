import { useId } from 'react';
import type { Device } from '../../contract/device.ts';
import type { Session } from '../../contract/session.ts';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { capitalised } from './filter-bar.tsx';
import { PhoneSilhouette } from './phone-silhouette.tsx';

const text = texts.devices;

interface DeviceCardProps {
  device: Device;
  /** The caller's own live session on this phone. */
  session: Session | undefined;
  onConnect(): void;
}

export function DeviceCard({ device, session, onConnect }: DeviceCardProps) {
  const heading = useId();
  const available = device.status === 'available';
  return (
    <article
      aria-labelledby={heading}
      className="flex gap-4 rounded-2xl border border-line bg-panel p-4 shadow-card transition-shadow hover:shadow-lift"
    >
      <PhoneSilhouette resolution={device.resolution} lit={available || session !== undefined} />
      <div className="flex min-w-0 grow flex-col">
        <div className="flex items-start justify-between gap-2">
          <h3 id={heading} className="truncate font-semibold" title={device.name}>
            {device.name}
          </h3>
          {session ? (
            <StatusBadge tone="own">{text.inUseByYou}</StatusBadge>
          ) : (
            <StatusBadge tone={available ? 'good' : 'idle'}>
              {available ? text.available : text.busy}
            </StatusBadge>
          )}
        </div>
        <p className="truncate text-sm text-soft">
          {capitalised(device.brand)} · {device.model}
        </p>
        <p className="text-sm text-soft">{text.osValue(device.os_version)}</p>
        <p className="text-sm text-soft tabular-nums">
          {text.screenValue(device.screen_size, device.resolution)}
        </p>
        <div className="mt-auto pt-3">
          {session ? (
            <ButtonLink look="primary" size="small" href={`/sessions/${session.session_id}`}>
              {text.open}
            </ButtonLink>
          ) : (
            <Button
              look={available ? 'primary' : 'plain'}
              size="small"
              disabled={!available}
              onClick={onConnect}
            >
              {text.connect}
            </Button>
          )}
        </div>
      </div>
    </article>
  );
}
