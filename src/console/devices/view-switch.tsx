import { type ReactNode, useState } from 'react';
import { GridIcon, ListIcon } from '../icons.tsx';
import { deviceTexts as text } from '../texts/devices.ts';
import { IconButton } from '../ui/icon-button.tsx';

export type DeviceView = 'grid' | 'table';

const ITEM = 'phonebooth.devices-view';

/** Returns how the phones are shown, and a setter. The choice is stored in the browser. */
export function useDeviceView(): [DeviceView, (view: DeviceView) => void] {
  const [view, setView] = useState<DeviceView>(() =>
    localStorage.getItem(ITEM) === 'table' ? 'table' : 'grid',
  );
  const change = (next: DeviceView) => {
    localStorage.setItem(ITEM, next);
    setView(next);
  };
  return [view, change];
}

interface ViewSwitchProps {
  view: DeviceView;
  onChange(view: DeviceView): void;
}

export function ViewSwitch({ view, onChange }: ViewSwitchProps) {
  const option = (which: DeviceView, icon: ReactNode) => (
    <IconButton
      label={text.views[which]}
      icon={icon}
      side="bottom"
      aria-pressed={view === which}
      onClick={() => onChange(which)}
      size="small"
      className="aria-pressed:bg-sunken aria-pressed:text-ink"
    />
  );
  return (
    <fieldset aria-label={text.viewLabel} className="flex gap-0.5">
      {option('grid', <GridIcon />)}
      {option('table', <ListIcon />)}
    </fieldset>
  );
}
