/** It brings a library for charts, which nothing else needs. */
export async function loadUsagePage() {
  const { UsagePage } = await import('./usage-page.tsx');
  return { default: UsagePage };
}
