import { expect, test } from 'vitest';
import { installView } from './install-view.ts';

const row = (
  app_status: 'pending' | 'installing' | 'installed' | 'failed',
  app_error: string | null = null,
) => ({
  app_id: 'a',
  app_status,
  app_error,
});
const progress = { app_id: 'a', state: 'installing', percent: 40 } as const;

test('no app was asked for', () => {
  expect(installView({ app_id: null, app_status: null, app_error: null }, progress)).toBeNull();
});

test('the phone is ahead of the row', () => {
  expect(installView(row('pending'), progress)).toMatchObject({ state: 'installing', percent: 40 });
  const failed = { app_id: 'a', state: 'failed', percent: 60, message: 'INSTALL_FAILED_OLDER_SDK' } as const;
  expect(installView(row('installing'), failed)).toMatchObject({
    state: 'failed',
    error: 'INSTALL_FAILED_OLDER_SDK',
  });
});

test('the end is in the row, whatever was heard last', () => {
  expect(installView(row('installed'), progress)).toMatchObject({ state: 'installed', percent: null });
  expect(installView(row('failed', 'no room'), progress)).toMatchObject({
    state: 'failed',
    error: 'no room',
  });
});

test('what is told of another app is not shown', () => {
  expect(installView(row('pending'), { ...progress, app_id: 'b' })).toMatchObject({
    state: 'pending',
    percent: null,
  });
});
