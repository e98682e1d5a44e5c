import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ICON_FILE } from '../../bus/messages.ts';
import { MAX_APPS_PER_ACCOUNT } from '../../contract/http/app.ts';
import { invalidField } from '../../contract/http/errors.ts';
import { ApkError } from '../../control-plane/apps/apk/apk-error.ts';
import type { Apk } from '../../control-plane/apps/apk/read-apk.ts';
import { type ReadOptions, readUpload } from '../../control-plane/apps/apk/read-upload.ts';
import { DiskSpace, explainFullDisk } from '../../control-plane/apps/disk-space.ts';
import { refusalError } from '../../control-plane/refusal-errors.ts';
import type { AppRow } from '../../store/apps/app-store.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import { mayBeCommitted } from '../../store/store.ts';
import type { ApiContext } from '../context.ts';
import { idempotency } from '../idempotency.ts';
import { implement, type UploadedFile } from '../implement.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';
import { toApp } from './app-view.ts';
import { receiveFile } from './receive-file.ts';

export const uploadApp = implement(
  'apps.upload',
  async (context, { principal, idempotencyKey, audit, file }) => {
    const { appFiles } = context;
    using _slot = reserveSlot(context.uploads, principal.accountId, 'uploads');
    await using draft = await appFiles.draft();
    const upload = join(draft.folder, 'upload');
    const { received, apk } = await receiveApp(context, file, upload, draft.folder).catch(
      (error: unknown) => {
        throw explainFullDisk(error);
      },
    );

    const id = `app_${randomBytes(16).toString('base64url')}`;
    await draft.keep(id);
    const storedSize = await appFiles.storedBytes(id);
    const app = { ...factsOf(apk), ...received, storedSize, id, accountId: principal.accountId };
    const outcome = await create(
      context,
      { keyId: principal.keyId, app },
      idempotency(idempotencyKey, ['upload', received.sha256]),
      audit,
    );
    if (!outcome.ok) throw refusalError(outcome.refusal, id);
    return toApp(outcome.app);
  },
);

async function receiveApp(
  { appFiles, maxAppBytes, diskReserveBytes }: ApiContext,
  file: UploadedFile,
  upload: string,
  folder: string,
) {
  const space = new DiskSpace(appFiles, diskReserveBytes);
  const received = await receiveFile(file, upload, maxAppBytes, space);
  const beforeWriting = (bytes: number) => space.writing(bytes);
  const apk = await readApp(upload, folder, { maxBytes: maxAppBytes, beforeWriting });
  if (apk.icon) await writeFile(join(folder, ICON_FILE), apk.icon.bytes, { mode: 0o600, flush: true });
  return { received, apk };
}

/**
 * Creates the row after the files, so that the files of every visible row exist. The files are removed if no row is
 * created, by the sweeper if that is not known yet.
 */
async function create(
  { store, appFiles }: ApiContext,
  upload: { keyId: string; app: Omit<AppRow, 'createdAt'> },
  key: ReturnType<typeof idempotency>,
  audit: AuditEvent,
) {
  let kept = false;
  try {
    const outcome = await store.createApp(
      { ...upload, maxApps: MAX_APPS_PER_ACCOUNT, idempotency: key },
      audit,
    );
    kept = outcome.ok && outcome.created;
    return outcome;
  } catch (error) {
    kept = mayBeCommitted(error);
    if (kept) appFiles.undecided.set(upload.app.id, performance.now());
    throw error;
  } finally {
    if (!kept) await appFiles.remove(upload.app.id);
  }
}

async function readApp(file: string, folder: string, options: ReadOptions): Promise<Apk> {
  try {
    return await readUpload(file, folder, options);
  } catch (error) {
    if (!(error instanceof ApkError)) throw error;
    throw invalidField(
      'body',
      `is not an Android app: ${error.message}. Upload an .apk, .apks or .xapk file`,
    );
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
