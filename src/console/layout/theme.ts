/** `system` follows the operating system. The other two are stored in the browser, and are not secret. */
export type Theme = 'system' | 'light' | 'dark';

const ITEM = 'phonebooth.theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

export function storedTheme(): Theme {
  const stored = localStorage.getItem(ITEM);
  return ORDER.find((theme) => theme === stored) ?? 'system';
}

export function applyStoredTheme(): void {
  document.documentElement.dataset.theme = storedTheme();
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(ITEM, theme);
  applyStoredTheme();
}

export const themeAfter = (theme: Theme): Theme =>
  ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system';
