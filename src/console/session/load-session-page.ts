/** The picture's decoder and the input come only when a phone is about to be opened: everything else does without. */
export async function loadSessionPage() {
  const { SessionPage } = await import('./session-page.tsx');
  return { default: SessionPage };
}

/** Loads ahead what the first picture would have to wait for. */
export async function preloadSession(): Promise<void> {
  await Promise.all([
    import('./session-page.tsx'),
    'VideoDecoder' in globalThis ? import('./picture/webcodecs-decoder.ts') : null,
  ]);
}
