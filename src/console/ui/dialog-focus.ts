/**
 * What has the focus when a dialog opens, the first that exists: the first field, the action that the dialog offers,
 * and in a dialog that confirms the loss of something the button that cancels, because the key that opened the dialog
 * may still be pressed (ARIA Authoring Practices, Dialog (Modal) Pattern).
 */
const FIRST = [
  'input[type=radio]:checked, input:not([type=hidden], [type=radio], [hidden], :disabled, [readonly]), ' +
    'select:enabled, textarea:enabled',
  '[data-cancels-danger]',
  'button[type=submit]:enabled',
  'button[data-look=primary]:enabled',
  'button:enabled:not([data-close])',
  'a[href]',
];

export function firstFocusOf(dialog: HTMLElement): HTMLElement | null {
  for (const selector of FIRST) {
    const found = dialog.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return null;
}

/**
 * Returns the element to which the focus returns when a dialog closes. An item of a menu is gone by then, so it is the
 * button of the menu.
 */
export function openerOf(active: Element | null): Element | null {
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return button ? document.getElementById(button) : active;
}

/** Moves the focus to the opener, or to the page's content if the opener is gone, such as the row of a deleted app. */
export function returnFocus(opener: Element | null): void {
  const target = opener?.isConnected && opener !== document.body ? opener : document.querySelector('main');
  if (!(target instanceof HTMLElement)) return;
  if (target.tagName === 'MAIN') target.tabIndex = -1;
  target.focus();
}
