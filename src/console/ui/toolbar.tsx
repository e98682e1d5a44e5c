import * as RovingFocus from '@radix-ui/react-roving-focus';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { IconButton } from './icon-button.tsx';

/** A toolbar with a single tab stop. The arrow keys, Home and End move between its buttons. */
export function Toolbar({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <RovingFocus.Root asChild loop>
      <div role="toolbar" aria-label={label} className={className}>
        {children}
      </div>
    </RovingFocus.Root>
  );
}

export function ToolbarButton(props: ComponentProps<typeof IconButton>) {
  return (
    <ToolbarItem focusable={!props.disabled}>
      <IconButton {...props} />
    </ToolbarItem>
  );
}

/** Makes another kind of button, such as that of a menu, part of a toolbar. */
export function ToolbarItem({ focusable = true, children }: { focusable?: boolean; children: ReactElement }) {
  return (
    <RovingFocus.Item asChild focusable={focusable}>
      {children}
    </RovingFocus.Item>
  );
}
