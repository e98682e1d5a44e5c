import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../util/log.ts';
import type { AppPackage, Phone, PhoneSession } from '../driver.ts';
import { SimulatedDriver } from './simulated-driver.ts';

const APP: AppPackage = {
  appId: 'app_1',
  packageName: 'com.example.app',
  label: 'Example',
  version: '1.0',
  minSdk: null,
  icon: null,
  files: [],
};

const never = new AbortController().signal;
const ignore = () => {};

describe('an install on a simulated phone', () => {
  let dataDir: string;
  let driver: SimulatedDriver;
  let phone: Phone;
  let session: PhoneSession;
  const packages = async () => JSON.stringify(await session.perform('app.list', {}, { signal: never }));

  const start = async () => {
    driver = new SimulatedDriver({ hostId: 'host-1', count: 1, dataDir, log: silentLog });
    await driver.start((phones) => {
      phone = phones[0]!;
    });
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'simulated-phones-'));
    await start();
    session = await phone.open({ sessionId: 'session-1', signal: never });
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true });
  });

  it('reports progress and is removed when the phone is cleaned', async () => {
    const percents: number[] = [];
    await session.install(APP, { signal: never, onProgress: (percent) => percents.push(percent) });
    expect(percents).toEqual([20, 40, 60, 80, 100]);
    expect(await packages()).toContain(APP.packageName);
    await session[Symbol.asyncDispose]();
    await expect(session.install(APP, { signal: never, onProgress: ignore })).rejects.toThrow(
      'the session has ended',
    );
    await phone.clean({ signal: never });
    session = await phone.open({ sessionId: 'session-2', signal: never });
    expect(await packages()).not.toContain(APP.packageName);
  });

  it('reports why the phone rejects the app', async () => {
    const refused = session.install({ ...APP, minSdk: 99 }, { signal: never, onProgress: ignore });
    await expect(refused).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^INSTALL_FAILED_OLDER_SDK/),
    });
  });

  it('is aborted by its signal', async () => {
    const stopping = new AbortController();
    const given = session.install(APP, { signal: stopping.signal, onProgress: ignore });
    // The phone receives both messages together. After a progress message, this thread could be too late.
    stopping.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    // The aborted install would end before one that begins after it
    const later = { ...APP, packageName: 'com.example.later' };
    await session.install(later, { signal: never, onProgress: ignore });
    expect(await packages()).toContain(later.packageName);
    expect(await packages()).not.toContain(APP.packageName);
    await session.perform('app.uninstall', { package: later.packageName }, { signal: never });
  });

  it('ignores an icon that cannot be decoded', async () => {
    const app = { ...APP, icon: Buffer.from('not an image') };
    await session.install(app, { signal: never, onProgress: ignore });
    expect(await packages()).toContain(APP.packageName);
    await session.perform('app.uninstall', { package: APP.packageName }, { signal: never });
    expect(await packages()).not.toContain(APP.packageName);
  });

  it('outlives a restart of the host within the same session, and no other session', async () => {
    const removed = { ...APP, packageName: 'com.example.removed' };
    await session.install(APP, { signal: never, onProgress: ignore });
    await session.install(removed, { signal: never, onProgress: ignore });
    await session.perform('app.uninstall', { package: removed.packageName }, { signal: never });
    await driver[Symbol.asyncDispose]();
    await start();
    session = await phone.open({ sessionId: 'session-2', signal: never });
    expect(await packages()).toContain(APP.packageName);
    expect(await packages()).not.toContain(removed.packageName);
    await session[Symbol.asyncDispose]();
    await driver[Symbol.asyncDispose]();
    await start();
    session = await phone.open({ sessionId: 'session-3', signal: never });
    expect(await packages()).not.toContain(APP.packageName);
    await session[Symbol.asyncDispose]();
    await phone.clean({ signal: never });
    expect(await readdir(join(dataDir, 'simulated'))).toEqual([]);
  });
});
