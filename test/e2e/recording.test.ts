import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Phonebooth } from '../../src/client/index.ts';
import type { RecordingEvent } from '../../src/contract/recording/recording-event.ts';
import { linesOf, pictureHashes } from '../agent/recording-rig.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';

const SECRET = 'Secret of the test';

let service: Service;
let phones: Phonebooth;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function download(sessionId: string, artifactId: string): Promise<Buffer> {
  const url = `${service.baseUrl}/sessions/${sessionId}/artifacts/${artifactId}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${service.key}` } });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Uses a phone. */
async function use(phone: Awaited<ReturnType<Phonebooth['borrow']>>): Promise<void> {
  await phone.ready;
  await phone.tap(0.25, 0.75);
  await phone.text(SECRET);
  await phone.call('key', { key: 'Q' });
  await phone.screenshot();
}

test('a session that outlives a killed service is recorded before and after it', async () => {
  const phone = await phones.borrow({ duration: 5, record: true });
  const { id } = phone;
  const folder = join(service.dataDir, 'recordings', `${id}.1`);
  await use(phone);
  phone.detach();
  await until('the recorded screenshot', async () =>
    (await readdir(folder)).some((name) => name.endsWith('.png')),
  );
  await service.kill9();
  await service.restart();
  const resumed = async () => (await readdir(folder)).includes('video-2.samples');
  await until('the second file with frames', resumed);
  const again = await phones.attach(id);
  await use(again);
  await again.disconnect();

  const session = await phones.api.waitForRecording(id);
  expect(session.recording).toEqual({ status: 'complete', detail: null });
  const { items: artifacts } = await phones.api.listArtifacts(id);
  const kinds = artifacts.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'video').length).toBeGreaterThan(1);
  expect(kinds.filter((kind) => kind === 'screenshot')).toHaveLength(2);
  for (const artifact of artifacts) {
    const content = await download(id, artifact.id);
    expect(content.length).toBe(artifact.size);
    expect(content.includes(SECRET)).toBe(false);
    const { width, height } = artifact;
    if (artifact.kind === 'video')
      expect(pictureHashes(content, { width: width!, height: height! }).length).toBeGreaterThan(0);
  }
  const { id: logId } = artifacts.find(({ kind }) => kind === 'log')!;
  const log = (await download(id, logId)).toString();
  expect(log).toContain('key down');
  expect(log).not.toMatch(/key \d/);
  const { id: eventsId } = artifacts.find(({ kind }) => kind === 'events')!;
  const events = linesOf((await download(id, eventsId)).toString()) as RecordingEvent[];
  const typed = events.filter((event) => event.type === 'command' && event.method === 'text');
  expect(typed).toMatchObject([{ params: { text: { length: SECRET.length } } }, {}]);
  expect(events.at(-1)).toMatchObject({ type: 'stopped', reason: null });
});
