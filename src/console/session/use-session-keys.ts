import { useEffect, useRef } from 'react';

/** Shows the shortcuts when the user presses `?` and is not typing, on the page or on the phone. */
export function useSessionKeys(onHelp: () => void): void {
  const latest = useRef(onHelp);
  useEffect(() => {
    latest.current = onHelp;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      if (document.querySelector('dialog[open], [role=menu]')) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
