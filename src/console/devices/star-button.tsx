import type { Device } from '../../contract/http/device.ts';
import { StarIcon } from '../icons.tsx';
import { deviceTexts as text } from '../texts/devices.ts';
import { toggleFavourite } from './favourites.ts';

export function StarButton({ device, isStarred }: { device: Device; isStarred: boolean }) {
  return (
    <button
      type="button"
      aria-label={text.favourite(device.name)}
      aria-pressed={isStarred}
      onClick={() => toggleFavourite(device.id)}
      className={`grid size-control-sm shrink-0 place-items-center rounded-lg hover:bg-sunken ${
        isStarred ? 'text-warn' : 'text-soft hover:text-ink'
      }`}
    >
      <StarIcon className={isStarred ? 'size-5 fill-current' : 'size-5'} />
    </button>
  );
}
