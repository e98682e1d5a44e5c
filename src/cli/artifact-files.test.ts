import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Artifact } from '../contract/http/artifact.ts';
import { folderName, saveArtifacts } from './artifact-files.ts';

const CONTENT = '0123456789';
const artifact = (name = 'video-1.mp4', id = 'art_1') => ({ id, name, size: CONTENT.length }) as Artifact;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-artifacts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Fake service that sends `content`, and then fails with the error if there is one. */
function serviceOf(content: string, error?: Error) {
  const starts: number[] = [];
  const downloadArtifact = async (_session: string, _id: string, { start = 0 } = {}) => {
    starts.push(start);
    const parts = [new TextEncoder().encode(content.slice(start))];
    const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else if (error) controller.error(error);
        else controller.close();
      },
    });
    return { size: content.length - start, bytes };
  };
  return { api: { downloadArtifact }, starts };
}

const save = (api: ReturnType<typeof serviceOf>['api'], artifacts = [artifact()], options = {}) =>
  saveArtifacts(api, { sessionId: 'ses_1', folder, artifacts }, options);

test('resumes an interrupted download, and skips a file that is complete', async () => {
  const broken = serviceOf('0123', new Error('connection reset'));
  await expect(save(broken.api)).rejects.toThrow(
    'the download of video-1.mp4 was interrupted: connection reset. Repeat the command to resume it',
  );
  const { api, starts } = serviceOf(CONTENT);
  const file = join(folder, 'video-1.mp4');
  const saved = { name: 'video-1.mp4', file, size: 10 };
  expect(await save(api)).toEqual([{ ...saved, downloaded: true }]);
  expect(await save(api)).toEqual([{ ...saved, downloaded: false }]);
  expect(starts).toEqual([4]);
  expect(await readdir(folder)).toEqual(['video-1.mp4']);
  expect(await readFile(file, 'utf8')).toBe(CONTENT);
});

test('does not resume a download of the artifact of another session', async () => {
  await expect(save(serviceOf('abcd', new Error('lost')).api)).rejects.toThrow('interrupted');
  const { api, starts } = serviceOf(CONTENT);
  await save(api, [artifact('video-1.mp4', 'art_2')]);
  expect(starts).toEqual([0]);
  expect(await readFile(join(folder, 'video-1.mp4'), 'utf8')).toBe(CONTENT);
});

test('replaces a file of a different size only with force', async () => {
  const file = join(folder, 'video-1.mp4');
  await writeFile(file, 'mine');
  const { api } = serviceOf(CONTENT);
  await expect(save(api)).rejects.toThrow('exists already with a different size');
  expect(await readFile(file, 'utf8')).toBe('mine');
  await save(api, [artifact()], { force: true });
  expect(await readFile(file, 'utf8')).toBe(CONTENT);
});

test.each([
  ['a path out of the folder', artifact('../video-1.mp4')],
  ['a name of another kind of file', artifact('.bashrc')],
  ['an id that is a path', artifact('video-1.mp4', '/../x')],
])('rejects %s', async (_, hostile) => {
  const { api, starts } = serviceOf(CONTENT);
  await expect(save(api, [hostile])).rejects.toThrow('is not a valid name');
  expect(starts).toEqual([]);
});

test('names a folder after a session, whatever the id contains', () => {
  expect(folderName('ses_a-1')).toBe('ses_a-1');
  expect(folderName('../..')).toBe('_____');
});

test('stops when the service sends more or less than the size of the artifact', async () => {
  await expect(save(serviceOf(`${CONTENT}more`).api)).rejects.toThrow('sent more than the 10 bytes');
  await rm(join(folder, 'video-1.mp4.art_1.part'), { force: true });
  await expect(save(serviceOf('012').api)).rejects.toThrow('sent 3 of 10 bytes');
});
