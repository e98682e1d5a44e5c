import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264Encoder } from '../../src/drivers/simulated/h264/encoder.ts';
import { screenSequences } from '../../src/drivers/simulated/h264/test-support.ts';
import { Api } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until } from '../black-box/kit/wait.ts';
import { startService } from '../fixtures/service.ts';
import { openPage, sharedChromium } from './browser.ts';
import { decodeInPage, type EncodedChunk } from './decode-in-page.ts';

let page: Page;
let problems: string[];

beforeAll(async () => {
  ({ page, problems } = await openPage(await sharedChromium()));
  // WebCodecs is available only in secure contexts, and localhost is one.
  await page.route('http://localhost/', (route) =>
    route.fulfill({ body: '<!doctype html>', contentType: 'text/html' }),
  );
  await page.goto('http://localhost/');
});
afterAll(() => page?.context().close());

/**
 * Lowest accepted peak signal-to-noise ratio of a decoded frame against its source, over RGB, in dB. Chroma has
 * half the resolution, so coloured edges of one pixel lose the most: noise and checkerboards consist of such edges.
 */
const FLOOR_DB: Record<string, number> = { noise: 9, 'scene cuts': 9 };
const USUAL_FLOOR_DB = 24;

describe('Chromium decodes', () => {
  const [width, height] = [320, 480];

  test.each(screenSequences(width, height))(
    'the encoder’s output for: $name',
    async ({ name, frames, keyframes }) => {
      const encoder = new H264Encoder({ width, height });
      const chunks: EncodedChunk[] = frames.map((frame, index) => {
        const encoded = encoder.encode(frame, { keyframe: keyframes.includes(index) })!;
        const data = encoded.keyframe
          ? Buffer.concat([encoder.config, encoded.data])
          : Buffer.from(encoded.data);
        return { key: encoded.keyframe, timestamp: index * 16_667, data: data.toString('base64') };
      });
      const sources = frames.map((frame) => Buffer.from(frame).toString('base64'));
      const decoded = await decodeInPage(page, Buffer.from(encoder.config), chunks, sources);
      expect(decoded.map(({ timestamp }) => timestamp)).toEqual(chunks.map(({ timestamp }) => timestamp));
      for (const frame of decoded) {
        expect(frame).toMatchObject({ width, height });
        expect(frame.psnr).toBeGreaterThan(FLOOR_DB[name] ?? USUAL_FLOOR_DB);
      }
      expect(problems).toEqual([]);
    },
  );

  test('the stream of a simulated phone in use, with the same image as its screenshot', async () => {
    await using service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
    const description = await Description.fetch(service.baseUrl, undefined);
    const api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
    const ca = readFileSync(service.caFile, 'utf8');
    await using loan = await borrowConnected(api);
    await using viewer = await Viewer.open(loan.session.stream_url, { ca });
    await using controller = await Controller.ready(loan.session.control_url, { ca });
    await viewer.firstFrame();
    await controller.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2 });
    await controller.call('app.launch', { package: 'com.android.settings' });
    await viewer.still();
    // On a busy machine a phone draws only few frames of a gesture.
    await until('several frames', async () => {
      await controller.call('swipe', { x1: 0.5, y1: 0.7, x2: 0.5, y2: 0.3 });
      await viewer.still();
      await controller.call('swipe', { x1: 0.5, y1: 0.3, x2: 0.5, y2: 0.7 });
      return viewer.packets.filter(({ type }) => type === 'keyframe' || type === 'delta').length > 5;
    });
    await viewer.still(1_500);
    const screenshot = (await controller.call('screenshot')).png as string;

    const media = viewer.packets.flatMap((packet) => (packet.type === 'session' ? [] : [packet]));
    const config = media[0]!.data;
    const chunks = media.flatMap(({ type, pts, data }) => {
      if (type === 'config') return [];
      const whole = type === 'keyframe' ? Buffer.concat([config, data]) : data;
      return [{ key: type === 'keyframe', timestamp: Number(pts), data: whole.toString('base64') }];
    });
    expect(chunks.length).toBeGreaterThan(5);
    const decoded = await decodeInPage(page, config, chunks, [
      ...Array(chunks.length - 1).fill(null),
      screenshot,
    ]);
    expect(decoded).toHaveLength(chunks.length);
    expect(decoded.at(-1)).toMatchObject(viewer.size);
    expect(decoded.at(-1)!.psnr).toBeGreaterThan(28);
    expect(problems).toEqual([]);
  });
});
