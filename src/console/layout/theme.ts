/** `system` follows the operating system. The other two are stored in the browser, and are not secret. */
export type Theme = 'system' | 'light' | 'dark';

const ITEM = 'phonebooth.theme';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function storedTheme(): Theme {
  const stored = localStorage.getItem(ITEM);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function applyStoredTheme(): void {
  document.documentElement.dataset.theme = storedTheme();
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(ITEM, theme);
  applyStoredTheme();
}
