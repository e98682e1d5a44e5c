import { type ReactNode, type Ref, type RefObject, useEffect, useRef } from 'react';
import { SpinnerIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { attachKeyboard } from './input/attach-keyboard.ts';
import { attachPointer } from './input/attach-pointer.ts';
import { overlayMessage } from './overlay-message.ts';
import type { ScreenPhase } from './picture/screen-player.ts';
import type { Control } from './use-control.ts';
import { fitWithin, type Size, useElementSize } from './use-fit.ts';
import { useScreen } from './use-screen.ts';

const text = texts.session;
/** Room that the phone's frame takes on each side, in CSS pixels. */
const FRAME = 10;

interface PhoneScreenProps {
  name: string;
  streamUrl: string;
  /** The phone's size by its description, until the stream says better. */
  size: Size;
  starting: boolean;
  /** What is on the screen may be old, for a reason that the stream itself cannot know of. */
  stale: boolean;
  control: Control;
  keyboard: RefObject<HTMLTextAreaElement | null>;
  /** Told of the element that covers the picture exactly, for what is drawn over it. */
  overlay: Ref<HTMLDivElement>;
  /** Called with what goes from this machine's clipboard to the phone's. */
  onPaste(text: string): void;
  /** The phone's buttons: beside it, or below it where the page is narrow. */
  children: ReactNode;
}

/** Where Tailwind's `md` begins. */
const isWide = () => matchMedia('(min-width: 48rem)').matches;
const GAP = 12;

/** The phone: its picture in its own proportions, as large as there is room, with mouse, fingers and keyboard on it. */
export function PhoneScreen(props: PhoneScreenProps) {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const screen = useScreen(canvas, props.streamUrl);
  const bar = useRef<HTMLDivElement>(null);
  const room = useElementSize(area);
  const taken = useElementSize(bar);
  const wide = isWide();
  const shape = screen.size ?? props.size;
  const fit = fitWithin(shape, {
    width: (room?.width ?? 0) - FRAME * 2 - (wide ? (taken?.width ?? 0) + GAP : 0),
    height: (room?.height ?? 0) - FRAME * 2 - (wide ? 0 : (taken?.height ?? 0) + GAP),
  });
  useInput(canvas, props);
  const phase = props.stale && screen.phase === 'live' ? 'reconnecting' : screen.phase;
  return (
    <div ref={area} className="flex min-h-0 min-w-0 grow items-center justify-center gap-3 max-md:flex-col">
      <div
        className="relative rounded-[1.6rem] bg-[#191816] p-2.5 shadow-lift ring-1 ring-black/20 focus-within:ring-2 focus-within:ring-focus dark:ring-white/15 dark:focus-within:ring-focus"
        style={{ visibility: room ? 'visible' : 'hidden' }}
      >
        <div ref={props.overlay} className="relative">
          <canvas
            ref={canvas}
            role="img"
            aria-label={text.screenOf(props.name)}
            style={{ width: fit.width, height: fit.height }}
            className={`block touch-none rounded-[1.05rem] bg-black transition-opacity select-none ${
              phase === 'live' ? 'cursor-default' : 'opacity-35'
            }`}
          />
        </div>
        <textarea
          ref={props.keyboard}
          aria-label={text.typeHere(props.name)}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          className="pointer-events-none absolute bottom-2 left-1/2 size-px resize-none overflow-hidden text-base opacity-0"
        />
        <Overlay phase={phase} starting={props.starting} />
      </div>
      <div ref={bar} className="max-w-full">
        {props.children}
      </div>
    </div>
  );
}

function useInput(
  canvas: RefObject<HTMLCanvasElement | null>,
  { control, keyboard, onPaste }: PhoneScreenProps,
) {
  const { notify, run } = control;
  const paste = useRef(onPaste);
  useEffect(() => {
    paste.current = onPaste;
  });
  useEffect(() => {
    if (!canvas.current || !keyboard.current) return;
    const field = keyboard.current;
    const detachPointer = attachPointer(canvas.current, {
      touch: (touch) => notify('touch', touch),
      scroll: (scroll) => notify('scroll', scroll),
      key: (key) => run('key', { key }),
      onMouse: () => field.focus({ preventScroll: true }),
    });
    const detachKeyboard = attachKeyboard(field, {
      text: (typed) => run('text', { text: typed }),
      key: (key, meta) => run('key', meta === 0 ? { key } : { key, meta }),
      paste: (pasted) => paste.current(pasted),
    });
    return () => {
      detachPointer();
      detachKeyboard();
    };
  }, [canvas, keyboard, notify, run]);
}

function Overlay({ phase, starting }: { phase: ScreenPhase; starting: boolean }) {
  const message = overlayMessage(phase, starting);
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-0 grid place-items-center p-6 text-center text-white"
    >
      {message && (
        <div className="appear flex flex-col items-center gap-3 rounded-2xl bg-black/65 px-5 py-4 backdrop-blur-sm">
          {phase !== 'unsupported' && <SpinnerIcon className="spin size-7" />}
          <Lines {...message} />
        </div>
      )}
    </div>
  );
}

function Lines({ title, detail }: { title: string; detail?: string }) {
  return (
    <div>
      <p className="font-medium">{title}</p>
      {detail && <p className="mt-0.5 text-sm text-white/80">{detail}</p>}
    </div>
  );
}
