import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Artifact } from '../../contract/http/artifact.ts';
import type { RecordingStatus, Session } from '../../contract/http/session.ts';
import { settleRecording } from './recording.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Fake service whose recording has this state, or whose upload does not finish in time. */
function runOf(code: number, recording: { status: RecordingStatus; detail: string | null } | 'late') {
  const stored = ['events.jsonl', 'video-1.mp4'].map(
    (name, at) => ({ id: `art_${at}`, name, size: 1 }) as Artifact,
  );
  const deleted: string[] = [];
  const said: string[] = [];
  const api = {
    waitForRecording: async (_id: string, { timeoutMs = 0 } = {}) => {
      if (recording === 'late') throw new Error(`timed out after ${timeoutMs / 1000} s`);
      return { recording } as Session;
    },
    listArtifacts: async () => ({ items: stored }),
    downloadArtifact: async () => ({ size: 1, bytes: new Blob(['x']).stream() }),
    deleteArtifact: async (_session: string, id: string) => void deleted.push(id),
  };
  const run = {
    api,
    sessionId: 'ses_1',
    code,
    signal: new AbortController().signal,
    say: (line: string) => void said.push(line),
  };
  return { run, said, deleted };
}

const complete = { status: 'complete', detail: null } as const;
const filesOfSession = () => readdir(join(folder, 'ses_1')).catch(() => []);

test('saves the recording of a command that failed, and deletes that of one that succeeded', async () => {
  const failed = runOf(1, complete);
  await settleRecording(failed.run, { record: folder });
  expect(await filesOfSession()).toEqual(['events.jsonl', 'video-1.mp4']);
  expect(failed.said.at(-1)).toBe(`The recording is in ${join(folder, 'ses_1')}: events.jsonl, video-1.mp4.`);
  expect(failed.deleted).toEqual([]);
  await rm(join(folder, 'ses_1'), { recursive: true });

  const succeeded = runOf(0, complete);
  await settleRecording(succeeded.run, { record: folder });
  expect(succeeded.deleted).toEqual(['art_0', 'art_1']);
  expect({ files: await filesOfSession(), said: succeeded.said }).toEqual({ files: [], said: [] });
});

test('saves the recording of a command that succeeded with --keep-recording', async () => {
  const { run, deleted } = runOf(0, complete);
  await settleRecording(run, { record: folder, keepRecording: true });
  expect(await filesOfSession()).toHaveLength(2);
  expect(deleted).toEqual([]);
});

test.each([
  [1, 'saved', 'download it later with: phonebooth artifacts download ses_1 --to '],
  [0, 'deleted', 'delete it later with: phonebooth artifacts delete ses_1'],
])('says after the deadline what to do when the exit code is %i', async (code, verb, next) => {
  const { run, said } = runOf(code, 'late');
  await settleRecording(run, { record: folder });
  expect(said.at(-1)).toContain(
    `phonebooth: the recording could not be ${verb}: timed out after 60 s; ${next}`,
  );
});

test('prints why a recording failed or is incomplete', async () => {
  const failed = runOf(1, { status: 'failed', detail: 'the disk of the host is full' });
  await settleRecording(failed.run, { record: folder });
  expect(failed.said.at(-1)).toBe('The session could not be recorded (the disk of the host is full).');
  const partly = runOf(1, { status: 'complete', detail: 'the quota is used up' });
  await settleRecording(partly.run, { record: folder });
  expect(partly.said.at(-1)).toMatch(/ It is not complete \(the quota is used up\)\.$/);
});
