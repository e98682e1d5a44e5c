import { expect, test } from 'vitest';
import { texts } from '../texts.ts';
import { overlayMessage } from './overlay-message.ts';

test('nothing covers a live picture, even if the session is not known to be connected yet', () => {
  expect(overlayMessage('live', true)).toBeNull();
  expect(overlayMessage('live', false)).toBeNull();
});

test('a picture that is not there yet is explained by what it waits for', () => {
  expect(overlayMessage('connecting', true)?.title).toBe(texts.session.starting);
  expect(overlayMessage('connecting', false)?.title).toBe(texts.session.connectingPicture);
});

test('a picture that may be old says so, while the phone starts too', () => {
  expect(overlayMessage('reconnecting', true)?.title).toBe(texts.session.reconnecting);
  expect(overlayMessage('unsupported', true)?.title).toBe(texts.session.noDecoder);
});

test('a picture that nobody fetches is not passed off as live', () => {
  expect(overlayMessage('paused', false)).toMatchObject({ title: texts.session.paused, busy: false });
  expect(overlayMessage('ended', false)).toMatchObject({ title: texts.session.over, busy: false });
});
