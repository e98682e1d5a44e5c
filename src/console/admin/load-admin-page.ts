/** Few may open it, and those seldom: it comes when it is opened. */
export async function loadAdminPage() {
  const { AdminPage } = await import('./admin-page.tsx');
  return { default: AdminPage };
}
