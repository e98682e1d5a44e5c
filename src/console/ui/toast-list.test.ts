import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LIFETIME_MS, MOST, ToastList } from './toast-list.ts';

let toasts: ToastList;
const messages = () => toasts.list().map(({ message }) => message);

beforeEach(() => {
  vi.useFakeTimers();
  toasts = new ToastList();
});
afterEach(() => {
  vi.useRealTimers();
});

test('removes a toast after its lifetime and notifies about both changes', () => {
  const listener = vi.fn();
  toasts.subscribe(listener);
  toasts.show('Copied.');
  expect(messages()).toEqual(['Copied.']);
  vi.advanceTimersByTime(LIFETIME_MS);
  expect(messages()).toEqual([]);
  expect(listener).toHaveBeenCalledTimes(2);
});

test('shows a repeated message once and restarts its lifetime', () => {
  toasts.show('Copied.');
  vi.advanceTimersByTime(LIFETIME_MS - 1);
  toasts.show('Copied.');
  vi.advanceTimersByTime(LIFETIME_MS - 1);
  expect(messages()).toEqual(['Copied.']);
  vi.advanceTimersByTime(1);
  expect(messages()).toEqual([]);
});

test('drops the oldest toasts when full', () => {
  for (let n = 0; n <= MOST; n += 1) toasts.show(`Word ${n}`);
  expect(messages()).toEqual(Array.from({ length: MOST }, (_, n) => `Word ${n + 1}`));
});

test('removes a dismissed toast immediately', () => {
  toasts.show('One');
  toasts.show('Two', { action: { label: 'Do it', run: () => {} } });
  toasts.dismiss(toasts.list()[0]!.id);
  expect(messages()).toEqual(['Two']);
});
