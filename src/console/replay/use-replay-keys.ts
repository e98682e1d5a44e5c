import { useEffect, useRef } from 'react';
import type { Playback } from './playback.ts';
import { JUMP_MS } from './player-controls.tsx';

/** The keys of the player, on the whole page. Text fields, lists, buttons and dialogs keep those that they use. */
export function useReplayKeys(playback: Playback, duration: number, onHelp: () => void): void {
  const latest = useRef({ duration, onHelp });
  useEffect(() => {
    latest.current = { duration, onHelp };
  });
  useEffect(() => {
    const actions: Readonly<Record<string, () => void>> = {
      ' ': playback.toggle,
      ArrowLeft: () => playback.seek(playback.position() - JUMP_MS),
      ArrowRight: () => playback.seek(playback.position() + JUMP_MS),
      ',': () => playback.step(-1),
      '.': () => playback.step(1),
      Home: () => playback.seek(0),
      End: () => playback.seek(latest.current.duration),
      '?': () => latest.current.onHelp(),
    };
    const pressed = (event: KeyboardEvent) => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isUsedElsewhere(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [playback]);
}

function isUsedElsewhere({ key, target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open], [role=menu]')) return true;
  if (!(target instanceof Element)) return false;
  if (target.matches('input, textarea, select')) return true;
  if (key === ' ') return target.closest('button, a, [role=tab]') !== null;
  return /^(Arrow|Home|End)/.test(key) && target.closest('[role=tablist]') !== null;
}
