import { type ReactNode, type Ref, type RefObject, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { attachKeyboard } from './input/attach-keyboard.ts';
import { attachPointer } from './input/attach-pointer.ts';
import { FRAME, PhoneVideo } from './phone-video.tsx';
import type { Control } from './use-control.ts';
import {
  actualSize,
  fitWithin,
  hasRoomBeside,
  type Size,
  useDevicePixelRatio,
  useElementSize,
} from './use-fit.ts';
import type { Screen } from './use-screen.ts';

const text = texts.session;
const GAP = 12;
/** Reserves space for the scroll bar, because a scroll bar in one direction would otherwise cause one in the other. */
const SCROLLS = 'max-h-full min-h-0 max-w-full min-w-0 overflow-auto p-1 [scrollbar-gutter:stable]';

interface PhoneScreenProps {
  name: string;
  canvas: RefObject<HTMLCanvasElement | null>;
  screen: Screen;
  /** The screen size from the phone's description, used until the stream reports the actual size. */
  size: Size;
  starting: boolean;
  /** fit: as large as the available space allows. actual: one phone pixel per display pixel. */
  scale?: 'fit' | 'actual';
  control: Control;
  /** Whether mouse, touch and keyboard input goes to the phone. */
  active?: boolean;
  keyboard: RefObject<HTMLTextAreaElement | null>;
  overlay?: Ref<HTMLDivElement>;
  /** Called with text from this machine's clipboard that is pasted into the phone. */
  onPaste(text: string): void;
  /** Called when the user makes the phone copy or cut. */
  onCopy(): void;
  /** Called when the phone gains or loses keyboard focus. */
  onTyping(typing: boolean): void;
  /** Whether the phone's buttons are always below it, and not beside it if the page is wide. */
  barBelow?: boolean;
  /** Renders the phone's buttons into the space that they share with the phone. */
  bar(space: { room: Size; beside: boolean }): ReactNode;
}

/** The phone: its video in the proportions of its screen, with mouse, touch and keyboard input, and its buttons. */
export function PhoneScreen(props: PhoneScreenProps) {
  const { screen, scale = 'fit', barBelow = false } = props;
  const area = useRef<HTMLDivElement>(null);
  const buttons = useRef<HTMLDivElement>(null);
  const room = useElementSize(area);
  const taken = useElementSize(buttons);
  const ratio = useDevicePixelRatio();
  const beside = !barBelow && hasRoomBeside();
  const shape = screen.size ?? props.size;
  const fit = fitWithin(shape, {
    width: (room?.width ?? 0) - FRAME * 2 - (beside ? (taken?.width ?? 0) + GAP : 0),
    height: (room?.height ?? 0) - FRAME * 2 - (beside ? 0 : (taken?.height ?? 0) + GAP),
  });
  useInput(props);
  const isTakenOver = props.control.state.phase === 'taken-over';
  useEffect(() => {
    // What the user types must not seem to go to a phone that another client controls.
    if (isTakenOver) props.keyboard.current?.blur();
  }, [isTakenOver, props.keyboard]);
  return (
    <div
      ref={area}
      className={`flex min-h-0 min-w-0 grow items-center justify-center gap-3 ${beside ? '' : 'flex-col'}`}
    >
      <div className={scale === 'fit' ? '' : SCROLLS}>
        <PhoneVideo
          {...props}
          silent={props.control.isSilent}
          size={room && (scale === 'fit' ? fit : actualSize(shape, ratio))}
        >
          <textarea
            ref={props.keyboard}
            disabled={props.active === false}
            // The field sends Tab to the phone, so keyboard users could not tab past it. Focus enters it by a button
            // or a click.
            tabIndex={-1}
            aria-label={text.typeHere(props.name)}
            autoCapitalize="off"
            autoComplete="off"
            autoCorrect="off"
            spellCheck={false}
            onFocus={() => props.onTyping(true)}
            onBlur={() => props.onTyping(false)}
            className="pointer-events-none absolute bottom-2 left-1/2 size-px resize-none overflow-hidden text-base opacity-0"
          />
        </PhoneVideo>
      </div>
      <div ref={buttons} className="flex max-h-full max-w-full shrink-0">
        {room && props.bar({ room, beside })}
      </div>
    </div>
  );
}

/**
 * Whether input can have the effect that the user expects: the phone accepts commands, the connection responds, and the
 * video is current.
 */
export const acceptsInput = ({ state, isSilent }: Control, screen: Screen): boolean =>
  state.phase === 'ready' && !isSilent && screen.phase === 'live';

function useInput({ canvas, control, keyboard, screen, onPaste, onCopy, ...props }: PhoneScreenProps) {
  const { notify, run } = control;
  const active = props.active !== false && acceptsInput(control, screen);
  const latest = useRef({ onPaste, onCopy, player: screen.player });
  useEffect(() => {
    latest.current = { onPaste, onCopy, player: screen.player };
  });
  useEffect(() => {
    if (!active || !canvas.current || !keyboard.current) return;
    const field = keyboard.current;
    const detachPointer = attachPointer(canvas.current, {
      touch: (touch) => {
        notify('touch', touch);
        latest.current.player?.meter.touched(touch.action);
      },
      scroll: (scroll) => notify('scroll', scroll),
      key: (key) => run('key', { key }),
      onMouse: () => field.focus({ preventScroll: true }),
    });
    const detachKeyboard = attachKeyboard(field, {
      text: (typed) => run('text', { text: typed }),
      key: (key, meta) => run('key', meta === 0 ? { key } : { key, meta }),
      paste: (pasted) => latest.current.onPaste(pasted),
      copied: () => latest.current.onCopy(),
    });
    return () => {
      detachPointer();
      detachKeyboard();
    };
  }, [active, canvas, keyboard, notify, run]);
}
