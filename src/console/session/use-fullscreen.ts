import { useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { toast } from '../ui/toasts.tsx';

export interface Fullscreen {
  /** Whether this browser supports fullscreen mode. Browsers on phones often do not. */
  isPossible: boolean;
  isOn: boolean;
  toggle(): void;
}

/**
 * Puts the whole page into fullscreen mode, so that messages and dialogs stay visible. The page decides what it shows
 * in this mode. Escape leaves it, which is the browser's default.
 */
export function useFullscreen(): Fullscreen {
  const [isOn, setOn] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const changed = () => setOn(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => {
      document.removeEventListener('fullscreenchange', changed);
      // Leaves fullscreen mode, because the other pages are not designed for it.
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
