import { type RefObject, useEffect, useState } from 'react';
import { socketUrlFor } from '../../client/socket-url.ts';
import { ScreenPlayer, type ScreenState } from './picture/screen-player.ts';
import { observeDevicePixels } from './use-fit.ts';

/** Plays a session's screen on a canvas for as long as the component is there. */
export function useScreen(canvas: RefObject<HTMLCanvasElement | null>, streamUrl: string): ScreenState {
  const [state, setState] = useState<ScreenState>({ phase: 'connecting', size: null });
  useEffect(() => {
    if (!canvas.current) return;
    const player = new ScreenPlayer(canvas.current, socketUrlFor(location, streamUrl), setState);
    const unobserve = observeDevicePixels(canvas.current, (size) => player.resize(size));
    return () => {
      unobserve();
      player.dispose();
    };
  }, [canvas, streamUrl]);
  return state;
}
