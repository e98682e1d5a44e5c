import type { ComponentProps, ReactNode } from 'react';
import { ariaShortcut, type ShortcutKey, shortcutText } from './shortcut.ts';
import { Tooltip } from './tooltip.tsx';

const SIZES = { normal: 'size-control-lg', small: 'size-control-sm' } as const;

interface IconButtonProps extends ComponentProps<'button'> {
  label: string;
  icon: ReactNode;
  /** The keyboard shortcut, which the tooltip names. */
  shortcut?: ShortcutKey;
  side?: 'top' | 'right' | 'bottom' | 'left';
  size?: keyof typeof SIZES;
}

export function IconButton({
  label,
  icon,
  shortcut,
  side = 'top',
  size = 'normal',
  className = '',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} hint={shortcut && shortcutText(shortcut)} side={side}>
      <button
        type="button"
        aria-label={label}
        aria-keyshortcuts={shortcut && ariaShortcut(shortcut)}
        className={`grid ${SIZES[size]} shrink-0 place-items-center rounded-lg text-soft transition-colors enabled:hover:bg-sunken enabled:hover:text-ink disabled:opacity-40 ${className}`}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
