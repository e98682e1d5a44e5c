import { type RefObject, useEffect, useRef } from 'react';
import { type ShortcutKey, shortcutOf } from '../../ui/shortcut.ts';

/**
 * Runs an action when its shortcut is pressed, also while the keyboard is used to type on the phone. Other text fields
 * and dialogs keep their keys.
 */
export function useShortcuts(
  actions: readonly { shortcut?: ShortcutKey; disabled?: boolean; run(): void }[],
  keyboard: RefObject<HTMLElement | null>,
): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const key = shortcutOf(event);
      const action = key === null ? undefined : latest.current.find(({ shortcut }) => shortcut === key);
      if (!action || isElsewhere(event.target, keyboard.current)) return;
      event.preventDefault();
      event.stopPropagation();
      if (!action.disabled) action.run();
    };
    // Before the phone receives the key.
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, [keyboard]);
}

function isElsewhere(target: EventTarget | null, keyboard: HTMLElement | null): boolean {
  if (document.querySelector('dialog[open], [role=menu]')) return true;
  return target instanceof HTMLElement && target !== keyboard && target.matches('input, textarea, select');
}
