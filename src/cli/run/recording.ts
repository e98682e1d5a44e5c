import { join } from 'node:path';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { withAdvice } from '../advice.ts';
import { folderName, saveArtifacts } from '../artifact-files.ts';
import { printable } from '../output.ts';

/** Maximum wait for the upload of a recording after the end of its session. */
const UPLOAD_MS = 60_000;
/** Maximum time for the download of one recording. */
const DOWNLOAD_MS = 600_000;

export interface RecordingOptions {
  /** Folder in which the recordings of commands that fail are saved; undefined: nothing is recorded. */
  record?: string;
  /** Whether the recordings of commands that succeed are saved, too. */
  keepRecording?: boolean;
}

interface EndedRun {
  api: Pick<PhoneboothClient, 'waitForRecording' | 'listArtifacts' | 'downloadArtifact' | 'deleteArtifact'>;
  sessionId: string;
  /** Exit code of the command. */
  code: number;
  /** Aborted when the run is stopped. */
  signal: AbortSignal;
  /** Prints one line. */
  say: (line: string) => void;
}

/**
 * Saves the recording of a session that has ended in `<folder>/<session id>` when its command failed, and deletes it
 * when the command succeeded. Errors are only printed, because they must not change the exit code.
 */
export async function settleRecording(
  run: EndedRun,
  { record: folder, keepRecording = false }: RecordingOptions,
  { uploadMs = UPLOAD_MS } = {},
): Promise<void> {
  if (folder === undefined) return;
  const { sessionId, code } = run;
  const isSaved = code !== 0 || keepRecording;
  const target = join(folder, folderName(sessionId));
  try {
    if (isSaved) await save(run, target, uploadMs);
    else await discard(run, uploadMs);
  } catch (error) {
    const next = isSaved
      ? `download it later with: phonebooth artifacts download ${sessionId} --to ${target}`
      : `delete it later with: phonebooth artifacts delete ${sessionId}`;
    const problem = `the recording could not be ${isSaved ? 'saved' : 'deleted'}: ${withAdvice(error)}`;
    run.say(`phonebooth: ${problem}; ${next}`);
  }
}

async function save(run: EndedRun, target: string, uploadMs: number): Promise<void> {
  const { api, sessionId, signal, say } = run;
  say('Waiting for the recording of the session.');
  const { recording } = await api.waitForRecording(sessionId, { timeoutMs: uploadMs, signal });
  const reason = recording?.detail ? ` (${printable(recording.detail)})` : '';
  if (recording?.status === 'failed') return say(`The session could not be recorded${reason}.`);
  const { items: artifacts } = await api.listArtifacts(sessionId, signal);
  const late = AbortSignal.timeout(DOWNLOAD_MS);
  const files = await saveArtifacts(
    api,
    { sessionId, folder: target, artifacts },
    { signal: AbortSignal.any([signal, late]) },
  );
  const early = reason && ` It is not complete${reason}.`;
  say(`The recording is in ${target}: ${files.map(({ name }) => name).join(', ')}.${early}`);
}

async function discard({ api, sessionId, signal }: EndedRun, uploadMs: number): Promise<void> {
  await api.waitForRecording(sessionId, { timeoutMs: uploadMs, signal });
  const { items } = await api.listArtifacts(sessionId, signal);
  for (const { id } of items) await api.deleteArtifact(sessionId, id, signal);
}
