/** It needs the picture's decoder, as a session's own page does. */
export async function loadWallPage() {
  const { WallPage } = await import('./wall-page.tsx');
  return { default: WallPage };
}
