import type { ReactNode, Ref, RefObject } from 'react';
import { SpinnerIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { ReloadButton } from '../ui/load-failure.tsx';
import { type OverlayMessage, overlayMessage } from './overlay-message.ts';
import { formatLength } from './time-left.ts';
import type { Size } from './use-fit.ts';
import type { Screen } from './use-screen.ts';
import { useSecondsSince } from './use-seconds-since.ts';

const text = texts.session;
/** Width of the phone's case on each side, in CSS pixels. */
export const FRAME = 10;

interface PhoneVideoProps {
  name: string;
  canvas: RefObject<HTMLCanvasElement | null>;
  screen: Screen;
  /** Size in CSS pixels, or null before the available space is known. */
  size: Size | null;
  starting?: boolean;
  /** Whether the connection does not respond, so the video is probably outdated. */
  silent?: boolean;
  /** Receives the element that covers the video exactly, for drawing over it. */
  overlay?: Ref<HTMLDivElement>;
  children?: ReactNode;
}

/** A phone's video inside a drawn phone case. The video is dimmed and labelled while it is not live. */
export function PhoneVideo({ name, canvas, screen, size, overlay, children, ...state }: PhoneVideoProps) {
  const message = overlayMessage(screen.phase, state);
  return (
    <div
      className="relative w-fit rounded-[1.6rem] bg-[#191816] p-2.5 shadow-lift ring-1 ring-black/20 focus-within:ring-3 focus-within:ring-focus dark:ring-white/15 dark:focus-within:ring-focus"
      style={{ visibility: size ? 'visible' : 'hidden' }}
    >
      <div ref={overlay} className="relative">
        <canvas
          ref={canvas}
          role="img"
          aria-label={text.screenOf(name)}
          // A click leaves the keyboard focus where it is, also while input is paused.
          onMouseDown={(event) => event.preventDefault()}
          style={{ width: size?.width ?? 0, height: size?.height ?? 0 }}
          className={`block touch-none rounded-[1.05rem] bg-black transition-opacity select-none ${
            message ? 'cursor-not-allowed opacity-45' : 'cursor-default'
          }`}
        />
      </div>
      {children}
      <Overlay message={message} liveUntil={screen.liveUntil} />
    </div>
  );
}

function Overlay({ message, liveUntil }: { message: OverlayMessage | null; liveUntil: number | null }) {
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-0 grid place-items-center p-4 text-center text-white"
    >
      {message && (
        <div className="appear flex flex-col items-center gap-3 rounded-2xl bg-black/75 px-5 py-4">
          {message.busy && <SpinnerIcon className="spin size-7" />}
          <div>
            <p className="font-medium">{message.title}</p>
            {message.detail && <p className="mt-0.5 text-sm text-white/80">{message.detail}</p>}
            {liveUntil !== null && <FrameAge since={liveUntil} />}
          </div>
          {message.reload && (
            // The message is dark in both themes.
            <ReloadButton className="pointer-events-auto !bg-white !text-black" />
          )}
        </div>
      )}
    </div>
  );
}

function FrameAge({ since }: { since: number }) {
  const seconds = useSecondsSince(since);
  return (
    <p aria-live="off" className="mt-0.5 text-sm text-white/80 tabular-nums">
      {text.frameAge(formatLength(seconds * 1000))}
    </p>
  );
}
