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

test('shows nothing if no app was requested', () => {
  expect(installView({ app_id: null, app_status: null, app_error: null }, progress)).toBeNull();
});

test('prefers the progress that the phone reports to a pending row', () => {
  expect(installView(row('pending'), progress)).toMatchObject({ state: 'installing', percent: 40 });
  const failed = { app_id: 'a', state: 'failed', percent: 60, message: 'INSTALL_FAILED_OLDER_SDK' } as const;
  expect(installView(row('installing'), failed)).toMatchObject({
    state: 'failed',
    error: 'INSTALL_FAILED_OLDER_SDK',
  });
});

test('prefers the final status in the row to earlier progress', () => {
  expect(installView(row('installed'), progress)).toMatchObject({ state: 'installed', percent: null });
  expect(installView(row('failed', 'no room'), progress)).toMatchObject({
    state: 'failed',
    error: 'no room',
  });
});

test('ignores the progress of another app', () => {
  expect(installView(row('pending'), { ...progress, app_id: 'b' })).toMatchObject({
    state: 'pending',
    percent: null,
  });
});
