import { expect, test } from 'vitest';
import { texts } from '../texts.ts';
import { overlayMessage } from './overlay-message.ts';

test('shows no overlay on live video, even before the session counts as connected', () => {
  expect(overlayMessage('live', true)).toBeNull();
  expect(overlayMessage('live', false)).toBeNull();
});

test('explains what missing video is waiting for', () => {
  expect(overlayMessage('connecting', true)?.title).toBe(texts.session.starting);
  expect(overlayMessage('connecting', false)?.title).toBe(texts.session.waitingForVideo);
});

test('marks a frame that may be stale, even while the phone starts', () => {
  expect(overlayMessage('reconnecting', true)?.title).toBe(texts.session.reconnecting);
  expect(overlayMessage('unsupported', true)?.title).toBe(texts.session.noDecoder);
});

test('marks a frame that is no longer updated', () => {
  expect(overlayMessage('paused', false)).toMatchObject({ title: texts.session.paused, busy: false });
  expect(overlayMessage('ended', false)).toMatchObject({ title: texts.session.over, busy: false });
});

test('offers to reload the page if the code of the decoder cannot be loaded', () => {
  expect(overlayMessage('not-loaded', true)).toMatchObject({ reload: true, busy: false });
});
