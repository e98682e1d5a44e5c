/** Those who are sent a link have no use for the rest of the console. */
export async function loadWatchPage() {
  const { WatchPage } = await import('./watch-page.tsx');
  return { default: WatchPage };
}
