/** Keys are seldom made: the page comes when it is opened. */
export async function loadKeysPage() {
  const { KeysPage } = await import('./keys-page.tsx');
  return { default: KeysPage };
}
