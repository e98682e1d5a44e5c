import * as Primitive from '@radix-ui/react-dropdown-menu';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { landmarkOf } from './landmark-of.ts';
import { Tooltip } from './tooltip.tsx';

interface MenuProps {
  label: string;
  icon: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** Surrounds the button, for example to make it part of a toolbar. */
  frame?: (button: ReactElement) => ReactElement;
  children: ReactNode;
}

/**
 * A button that opens a list of actions. It is not modal, because a modal menu adds a style element to stop the page
 * from scrolling, which a strict Content Security Policy blocks.
 */
export function Menu({ label, icon, side = 'top', frame = (button) => button, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  // The menu returns the focus to its button when it closes, which is no reason to show the tooltip.
  const [isReturning, setReturning] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const change = (open: boolean) => {
    setLandmark(landmarkOf(trigger.current));
    setOpen(open);
    setReturning(!open);
  };
  return (
    <Primitive.Root modal={false} open={isOpen} onOpenChange={change}>
      <Tooltip text={label} side={side} isHidden={isOpen || isReturning}>
        {frame(
          <Primitive.Trigger
            ref={trigger}
            aria-label={label}
            onBlur={() => !isOpen && setReturning(false)}
            onPointerLeave={() => {
              const isFocused = document.activeElement === trigger.current;
              if (!isOpen && !isFocused) setReturning(false);
            }}
            className="grid size-control-lg shrink-0 place-items-center rounded-lg text-soft transition-colors hover:bg-sunken hover:text-ink aria-expanded:bg-sunken aria-expanded:text-ink"
          >
            {icon}
          </Primitive.Trigger>,
        )}
      </Tooltip>
      <Primitive.Portal container={landmark}>
        <Primitive.Content
          side={side}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="appear z-menu max-h-(--radix-dropdown-menu-content-available-height) min-w-56 overflow-y-auto rounded-xl border border-line bg-panel p-1.5 text-sm shadow-lift"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

const ITEM =
  'flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 outline-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-40 data-[highlighted]:bg-sunken forced-colors:data-[highlighted]:outline-2 forced-colors:data-[highlighted]:outline-solid forced-colors:data-[highlighted]:-outline-offset-2';

interface MenuItemProps {
  icon: ReactNode;
  disabled?: boolean;
  /** The keyboard shortcut of the action. */
  hint?: string | undefined;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, disabled = false, hint, onSelect, children }: MenuItemProps) {
  return (
    <Primitive.Item className={ITEM} disabled={disabled} onSelect={onSelect}>
      <span className="text-soft">{icon}</span>
      <span className="grow">{children}</span>
      {hint && (
        <span aria-hidden="true" className="pl-4 text-xs text-soft pointer-coarse:hidden">
          {hint}
        </span>
      )}
    </Primitive.Item>
  );
}

export const MenuDivider = () => <Primitive.Separator className="mx-2.5 my-1.5 h-px bg-line" />;

/** A menu item that is on or off. */
export function MenuSwitch({
  checked,
  onSelect,
  icon,
  children,
}: Omit<MenuItemProps, 'disabled' | 'hint'> & { checked: boolean }) {
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

/** An item that leads to another page. */
export function MenuLink({ icon, href, children }: { icon: ReactNode; href: string; children: ReactNode }) {
  return (
    <Primitive.Item asChild className={ITEM}>
      <a href={href}>
        <span className="text-soft">{icon}</span>
        <span className="grow">{children}</span>
      </a>
    </Primitive.Item>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <Primitive.Label className="px-2.5 pt-1 pb-1 text-xs text-soft">{children}</Primitive.Label>;
}

interface MenuChoiceProps<Value extends string> {
  value: Value;
  options: readonly { value: Value; label: string; icon: ReactNode }[];
  onChange(value: Value): void;
}

/** Items of which one is selected. Selecting another leaves the menu open, so that its effect can be seen. */
export function MenuChoice<Value extends string>({ value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <Primitive.RadioGroup value={value}>
      {options.map((option) => (
        <Primitive.RadioItem
          key={option.value}
          value={option.value}
          className={ITEM}
          onSelect={(event) => {
            event.preventDefault();
            onChange(option.value);
          }}
        >
          <span className="text-soft">{option.icon}</span>
          <span className="grow">{option.label}</span>
          <Primitive.ItemIndicator aria-hidden="true" className="font-semibold">
            ✓
          </Primitive.ItemIndicator>
        </Primitive.RadioItem>
      ))}
    </Primitive.RadioGroup>
  );
}
