import type { ComponentProps, ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';

interface IconButtonProps extends ComponentProps<'button'> {
  label: string;
  icon: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
}

export function IconButton({ label, icon, side = 'top', className = '', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} side={side}>
      <button
        type="button"
        aria-label={label}
        className={`grid size-11 shrink-0 place-items-center rounded-lg text-soft transition-colors enabled:hover:bg-sunken enabled:hover:text-ink disabled:opacity-40 ${className}`}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
