import { expect, test } from 'vitest';
import { texts } from '../texts.ts';
import { overlayMessage } from './overlay-message.ts';

test('shows no overlay on live video, even before the session counts as connected', () => {
  expect(overlayMessage('live', { starting: true })).toBeNull();
  expect(overlayMessage('live')).toBeNull();
});

test('shows that input is paused while the connection does not respond', () => {
  const message = overlayMessage('live', { silent: true });
  expect(message).toMatchObject({ title: texts.session.silent, busy: true });
  expect(message?.detail).toContain('Input is paused.');
  expect(overlayMessage('reconnecting', { silent: true })?.title).toBe(texts.session.reconnecting);
});

test('explains what missing video is waiting for', () => {
  expect(overlayMessage('connecting', { starting: true })?.title).toBe(texts.session.starting);
  expect(overlayMessage('connecting')?.title).toBe(texts.session.waitingForVideo);
});

test('marks a frame that may be stale, even while the phone starts', () => {
  expect(overlayMessage('reconnecting', { starting: true })?.title).toBe(texts.session.reconnecting);
  expect(overlayMessage('unsupported', { starting: true })?.title).toBe(texts.session.noDecoder);
});

test('marks a frame that is no longer updated', () => {
  expect(overlayMessage('paused')).toMatchObject({ title: texts.session.paused, busy: false });
  expect(overlayMessage('ended')).toMatchObject({ title: texts.session.over, busy: false });
});

test('offers to reload the page if the code of the decoder cannot be loaded', () => {
  expect(overlayMessage('not-loaded', { starting: true })).toMatchObject({ reload: true, busy: false });
});
