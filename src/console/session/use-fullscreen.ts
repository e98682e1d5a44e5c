import { useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';

export interface Fullscreen {
  /** Whether this browser can: phones' browsers often cannot. */
  isPossible: boolean;
  isOn: boolean;
  toggle(): void;
}

/**
 * The whole page in full screen, so that messages and dialogs are still seen; what is shown in it is the page's choice.
 * Escape leaves it, as the browser has it.
 */
export function useFullscreen(): Fullscreen {
  const [isOn, setOn] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const changed = () => setOn(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => {
      document.removeEventListener('fullscreenchange', changed);
      // The pages that follow are not made for it.
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
    };
  }, []);
  return {
    isPossible: document.fullscreenEnabled,
    isOn,
    toggle: () => {
      const change = isOn ? document.exitFullscreen() : document.documentElement.requestFullscreen();
      change.catch(() => toast(texts.controls.fullscreenFailed, { tone: 'bad' }));
    },
  };
}
