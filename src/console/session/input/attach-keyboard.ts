import { isCopy, phoneKeyFor } from './key-map.ts';

export interface KeyboardTarget {
  text(text: string): void;
  key(key: string, meta: number): void;
  paste(text: string): void;
  /** Called when the last key press made the phone copy or cut something. */
  copied(): void;
}

/**
 * Keeps the field from being empty, because on-screen keyboards report Backspace only if there is something to
 * delete.
 */
const FILLER = ' ';

/** Android keys for input events that do not insert text. */
const KEY_OF_INPUT: Readonly<Record<string, string>> = {
  deleteContentBackward: 'DEL',
  deleteContentForward: 'FORWARD_DEL',
  insertLineBreak: 'ENTER',
  insertParagraph: 'ENTER',
};

/**
 * Sends what is typed into a hidden text field to the phone: special keys as key presses, everything else as text,
 * which includes the text of an input method at the end of a composition. Returns a function that detaches the
 * keyboard.
 */
export function attachKeyboard(field: HTMLTextAreaElement, target: KeyboardTarget): () => void {
  const listeners = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
  ) => field.addEventListener(type, listener, { signal: listeners.signal });
  const reset = () => {
    field.value = FILLER;
    field.setSelectionRange(FILLER.length, FILLER.length);
  };
  reset();

  let cameFrom: EventTarget | null = null;
  on('focus', ({ relatedTarget }) => {
    cameFrom = relatedTarget;
  });
  on('keydown', (event) => {
    // Moves the focus back to the element that had it before, instead of the element that precedes the phone in the
    // page.
    if (event.key === 'Tab' && event.shiftKey && cameFrom instanceof HTMLElement && cameFrom.isConnected) {
      event.preventDefault();
      cameFrom.focus();
      return;
    }
    const press = phoneKeyFor(event);
    if (!press) return;
    event.preventDefault();
    target.key(press.key, press.meta);
    if (isCopy(press)) target.copied();
  });
  on('beforeinput', (event) => {
    if (event.isComposing) return;
    const key = KEY_OF_INPUT[event.inputType];
    if (key === undefined) return;
    event.preventDefault();
    target.key(key, 0);
  });
  on('input', (event) => {
    if ((event as InputEvent).isComposing) return;
    const text = (event as InputEvent).data;
    if (text) target.text(text);
    reset();
  });
  on('compositionend', (event) => {
    if (event.data) target.text(event.data);
    reset();
  });
  on('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain');
    if (text) target.paste(text);
  });

  return () => listeners.abort();
}
