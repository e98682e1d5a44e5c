import { ActualSizeIcon, ChartIcon, HelpIcon, LinkIcon, MoreIcon, WallIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Menu, MenuItem, MenuSwitch } from '../ui/menu.tsx';
import { isWide } from './use-fit.ts';

const text = texts.controls;

export interface MoreMenuProps {
  actualSize: boolean;
  onActualSize(): void;
  statistics: boolean;
  onStatistics(): void;
  onShare(): void;
  onHelp(): void;
}

/** Actions that are too rare for a separate button. */
export function MoreMenu(props: MoreMenuProps) {
  return (
    <Menu label={text.more} icon={<MoreIcon />} side={isWide() ? 'left' : 'top'}>
      <MenuSwitch checked={props.actualSize} onSelect={props.onActualSize} icon={<ActualSizeIcon />}>
        {text.actualSize}
      </MenuSwitch>
      <MenuSwitch checked={props.statistics} onSelect={props.onStatistics} icon={<ChartIcon />}>
        {text.statistics}
      </MenuSwitch>
      <MenuItem icon={<LinkIcon />} onSelect={props.onShare}>
        {text.share}
      </MenuItem>
      <MenuItem icon={<WallIcon />} onSelect={() => navigate('/wall')}>
        {text.wall}
      </MenuItem>
      <MenuItem icon={<HelpIcon />} onSelect={props.onHelp}>
        {text.help}
      </MenuItem>
    </Menu>
  );
}
