import { ActualSizeIcon, ChartIcon, HelpIcon, LinkIcon, MoreIcon, WallIcon } from '../../icons.tsx';
import { navigate } from '../../router.tsx';
import { texts } from '../../texts.ts';
import { Menu, MenuDivider, MenuItem, MenuSwitch } from '../../ui/menu.tsx';
import { shortcutText } from '../../ui/shortcut.ts';
import { ToolbarItem } from '../../ui/toolbar.tsx';
import type { PhoneAction } from './phone-actions.tsx';

const text = texts.controls;

export interface MoreMenuProps {
  side: 'left' | 'top';
  /** The actions for which the toolbar has no room. */
  overflow: readonly PhoneAction[];
  actualSize: boolean;
  onActualSize(): void;
  statistics: boolean;
  onStatistics(): void;
  onShare(): void;
  onHelp(): void;
}

/** Actions that are too rare for a separate button, and those for whose button there is no room. */
export function MoreMenu({ side, overflow, ...props }: MoreMenuProps) {
  return (
    <Menu
      label={text.more}
      icon={<MoreIcon />}
      side={side}
      frame={(button) => <ToolbarItem>{button}</ToolbarItem>}
    >
      {overflow.map(({ label, icon, shortcut, disabled = false, run }) => (
        <MenuItem
          key={label}
          icon={icon}
          disabled={disabled}
          hint={shortcut && shortcutText(shortcut)}
          onSelect={run}
        >
          {label}
        </MenuItem>
      ))}
      {overflow.length > 0 && <MenuDivider />}
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
