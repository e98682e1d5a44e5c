import { type RefObject, useEffect, useState } from 'react';
import { socketUrlFor } from '../../client/socket-url.ts';
import { useReloadOnce } from '../ui/reload-once.ts';
import { observeDevicePixels } from './use-fit.ts';
import { ScreenPlayer } from './video/screen-player.ts';
import { FIRST_STATE, type ScreenState } from './video/screen-state.ts';

export interface Screen extends ScreenState {
  /** The player, or null before the canvas is mounted. */
  player: ScreenPlayer | null;
}

/** Time for which commands may stay unanswered before the connection of the video is replaced too. */
const SILENT_MS = 3_000;

interface Doubts {
  /** Whether the service does not respond to other requests, so an open connection may be dead. */
  inDoubt?: boolean;
  /** Whether the connection for commands does not respond. */
  isSilent?: boolean;
}

/** Plays a session's screen on a canvas while the component is mounted and the canvas is visible. */
export function useScreen(
  canvas: RefObject<HTMLCanvasElement | null>,
  streamUrl: string,
  { inDoubt = false, isSilent = false }: Doubts = {},
): Screen {
  const [state, setState] = useState(FIRST_STATE);
  const [player, setPlayer] = useState<ScreenPlayer | null>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const made = new ScreenPlayer(canvas.current, socketUrlFor(location, streamUrl), setState);
    setPlayer(made);
    const ends = [
      observeDevicePixels(canvas.current, (size) => made.resize(size)),
      observeVisibility(canvas.current, (visible) => made.setVisible(visible)),
    ];
    return () => {
      for (const end of ends) end();
      made.dispose();
      setPlayer(null);
      setState(FIRST_STATE);
    };
  }, [canvas, streamUrl]);
  useReloadOnce(state.phase === 'not-loaded' && player ? player.decoderKind : null);
  useEffect(() => {
    if (inDoubt) player?.reconnect();
  }, [inDoubt, player]);
  useEffect(() => {
    if (!isSilent) return;
    const timer = setTimeout(() => player?.reconnect(), SILENT_MS);
    return () => clearTimeout(timer);
  }, [isSilent, player]);
  useEffect(() => {
    const doubt = () => player?.reconnect();
    addEventListener('offline', doubt);
    return () => removeEventListener('offline', doubt);
  }, [player]);
  return { ...state, player };
}

/**
 * Reports whether an element is visible: within the viewport of a page that is not hidden. Returns a function that
 * stops observing.
 */
function observeVisibility(element: HTMLElement, onVisible: (visible: boolean) => void): () => void {
  let onPage = true;
  const report = () => onVisible(onPage && document.visibilityState === 'visible');
  const observer = new IntersectionObserver((entries) => {
    // Several changes may arrive in one callback, the newest one last.
    onPage = entries.at(-1)?.isIntersecting ?? onPage;
    report();
  });
  observer.observe(element);
  document.addEventListener('visibilitychange', report);
  return () => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', report);
  };
}
