/** Fetches what a first picture would have to wait for, as soon as somebody is about to open a phone. */
export async function preloadSession(): Promise<void> {
  await Promise.all([
    import('./session-page.tsx'),
    'VideoDecoder' in globalThis ? import('./picture/webcodecs-decoder.ts') : null,
  ]);
}
