import { useState } from 'react';
import { MoonIcon, SunIcon, SystemIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { storedTheme, storeTheme, themeAfter } from './theme.ts';

const ICONS = { system: <SystemIcon />, light: <SunIcon />, dark: <MoonIcon /> };

export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  const change = () => {
    const next = themeAfter(theme);
    storeTheme(next);
    setTheme(next);
  };
  return (
    <IconButton
      label={texts.navigation.theme[theme]}
      icon={ICONS[theme]}
      side="bottom"
      onClick={change}
      className="size-10"
    />
  );
}
