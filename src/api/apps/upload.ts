import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_APPS_PER_ACCOUNT } from '../../contract/app.ts';
import { invalidField } from '../../contract/errors.ts';
import type { AuditEvent } from '../../store/admin-store.ts';
import type { AppRow } from '../../store/app-row.ts';
import { idempotency } from '../idempotency.ts';
import { type ApiContext, implement } from '../implement.ts';
import { refusalError } from '../refuse.ts';
import { ApkError } from './apk/apk-error.ts';
import type { Apk } from './apk/read-apk.ts';
import { readUpload } from './apk/read-upload.ts';
import { ICON_FILE } from './app-files.ts';
import { toApp } from './app-view.ts';
import { receiveFile } from './receive-file.ts';

export const uploadApp = implement(
  'apps.upload',
  async (context, { principal, idempotencyKey, audit, file }) => {
    const { appFiles, maxAppBytes } = context;
    await using draft = await appFiles.draft();
    const upload = join(draft.folder, 'upload');
    const received = await receiveFile(file, upload, maxAppBytes);
    const apk = await readApp(upload, draft.folder, maxAppBytes);
    if (apk.icon)
      await writeFile(join(draft.folder, ICON_FILE), apk.icon.bytes, { mode: 0o600, flush: true });

    const id = `app_${randomBytes(16).toString('base64url')}`;
    await draft.keep(id);
    const app = { ...factsOf(apk), ...received, id, accountId: principal.accountId };
    const outcome = await create(
      context,
      app,
      idempotency(idempotencyKey, ['upload', received.sha256]),
      audit,
    );
    if (!outcome.ok) throw refusalError(outcome.refusal, id);
    return toApp(outcome.app);
  },
);

/** The row after the files, so that whoever sees the row has the files; files without a row are removed. */
async function create(
  { store, appFiles }: ApiContext,
  app: Omit<AppRow, 'createdAt'>,
  key: ReturnType<typeof idempotency>,
  audit: AuditEvent,
) {
  let kept = false;
  try {
    const outcome = await store.createApp({ app, maxApps: MAX_APPS_PER_ACCOUNT, idempotency: key }, audit);
    kept = outcome.ok && outcome.created;
    return outcome;
  } finally {
    if (!kept) await appFiles.remove(app.id);
  }
}

async function readApp(file: string, folder: string, maxBytes: number): Promise<Apk> {
  try {
    return await readUpload(file, folder, maxBytes);
  } catch (error) {
    if (!(error instanceof ApkError)) throw error;
    throw invalidField('body', `is no Android app: ${error.message}`);
  }
}

const factsOf = (apk: Apk) => ({
  packageName: apk.packageName,
  name: apk.label,
  version: apk.version,
  versionCode: apk.versionCode,
  minSdk: apk.minSdk,
  iconType: apk.icon?.type ?? null,
});
