/** Preloads the code that the first frame needs, as soon as the user is about to open a phone. */
export async function preloadSession(): Promise<void> {
  await Promise.all([
    import('./session-page.tsx'),
    'VideoDecoder' in globalThis ? import('./video/webcodecs-decoder.ts') : null,
  ]);
}
