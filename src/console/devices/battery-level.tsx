import { BatteryFullIcon, BatteryLowIcon, BatteryMediumIcon } from '../icons.tsx';
import { deviceTexts as text } from '../texts/devices.ts';

/** At and below these percentages. Android warns at 15 %. */
const LOW = 15;
const MEDIUM = 80;

export function BatteryLevel({ percent }: { percent: number | null }) {
  if (percent === null) return null;
  const Icon = percent <= LOW ? BatteryLowIcon : percent <= MEDIUM ? BatteryMediumIcon : BatteryFullIcon;
  return (
    <span className="inline-flex shrink-0 items-center gap-1" title={text.battery(percent)}>
      <Icon className="size-4" />
      <span aria-hidden="true">{percent} %</span>
      <span className="sr-only">{text.battery(percent)}</span>
    </span>
  );
}
