import * as Primitive from '@radix-ui/react-tooltip';
import { type ReactElement, useRef, useState } from 'react';
import { landmarkOf } from './landmark-of.ts';

interface TooltipProps {
  text: string;
  /** The keyboard shortcut of the control. */
  hint?: string | undefined;
  /** Whether the tooltip is not shown now, for example because a menu covers its place. */
  isHidden?: boolean;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}

/** Shows the label of a control that displays only an icon. Screen readers read the label from the control itself. */
export function Tooltip({ text, hint, isHidden = false, side = 'top', children }: TooltipProps) {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const change = (open: boolean) => {
    setLandmark(landmarkOf(trigger.current));
    setOpen(open);
  };
  return (
    <Primitive.Root open={isOpen && !isHidden} onOpenChange={change}>
      <Primitive.Trigger asChild ref={trigger}>
        {children}
      </Primitive.Trigger>
      <Primitive.Portal container={landmark}>
        <Primitive.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-tooltip rounded-md bg-strong px-2.5 py-1.5 text-xs font-medium text-on-strong shadow-lift"
        >
          {text}
          {hint && <kbd className="ml-2 font-sans text-on-strong/75">{hint}</kbd>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export const TooltipProvider = Primitive.Provider;
