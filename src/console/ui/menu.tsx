import * as Primitive from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';

interface MenuProps {
  label: string;
  icon: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

/**
 * A button that opens a list of actions. It is not modal, because a modal menu adds a style element to stop the page
 * from scrolling, which a strict Content Security Policy blocks.
 */
export function Menu({ label, icon, side = 'top', children }: MenuProps) {
  return (
    <Primitive.Root modal={false}>
      <Tooltip text={label} side={side}>
        <Primitive.Trigger
          aria-label={label}
          className="grid size-11 shrink-0 place-items-center rounded-lg text-soft transition-colors hover:bg-sunken hover:text-ink aria-expanded:bg-sunken aria-expanded:text-ink"
        >
          {icon}
        </Primitive.Trigger>
      </Tooltip>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="appear z-30 min-w-56 rounded-xl border border-line bg-panel p-1.5 text-sm shadow-lift"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

const ITEM =
  'flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 outline-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-40 data-[highlighted]:bg-sunken';

interface MenuItemProps {
  icon: ReactNode;
  disabled?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Primitive.Item className={ITEM} disabled={disabled} onSelect={onSelect}>
      <span className="text-soft">{icon}</span>
      {children}
    </Primitive.Item>
  );
}

/** A menu item that is on or off. */
export function MenuSwitch({
  checked,
  onSelect,
  icon,
  children,
}: Omit<MenuItemProps, 'disabled'> & { checked: boolean }) {
  return (
    <Primitive.CheckboxItem className={ITEM} checked={checked} onCheckedChange={onSelect}>
      <span className="text-soft">{icon}</span>
      <span className="grow">{children}</span>
      <Primitive.ItemIndicator aria-hidden="true" className="font-semibold">
        ✓
      </Primitive.ItemIndicator>
    </Primitive.CheckboxItem>
  );
}
