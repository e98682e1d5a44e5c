import * as Primitive from '@radix-ui/react-tooltip';
import type { ReactElement } from 'react';

interface TooltipProps {
  text: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}

/** Shows the label of a control that displays only an icon. Screen readers read the label from the control itself. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-40 rounded-md bg-strong px-2.5 py-1.5 text-xs font-medium text-on-strong shadow-lift"
        >
          {text}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export const TooltipProvider = Primitive.Provider;
