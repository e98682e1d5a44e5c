import type { App } from '../../contract/http/app.ts';
import type { AppRow } from '../../store/apps/app-store.ts';

/** An app as shown to its account. */
export function toApp(row: AppRow): App {
  return {
    id: row.id,
    name: row.name,
    package: row.packageName,
    version: row.version,
    version_code: row.versionCode,
    min_sdk: row.minSdk,
    size: row.storedSize,
    sha256: row.sha256,
    created_at: new Date(row.createdAt).toISOString(),
    icon_url: row.iconType === null ? null : `/apps/${row.id}/icon`,
  };
}
