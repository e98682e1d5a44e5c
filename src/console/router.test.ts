import { expect, test } from 'vitest';
import { routeOf } from './router.tsx';

test.each([
  ['/', { page: 'devices' }],
  ['/devices', { page: 'devices' }],
  ['/devices/', { page: 'devices' }],
  ['/sessions', { page: 'sessions' }],
  ['/apps', { page: 'apps' }],
  ['/apps/a1', { page: 'not-found' }],
  ['/usage', { page: 'usage' }],
  ['/keys', { page: 'keys' }],
  ['/keys/k1', { page: 'not-found' }],
  ['/webhooks', { page: 'webhooks', webhookId: null }],
  ['/webhooks/w%201', { page: 'webhooks', webhookId: 'w 1' }],
  ['/webhooks/w1/more', { page: 'not-found' }],
  ['/admin', { page: 'admin' }],
  ['/admin/accounts/a1', { page: 'admin' }],
  ['/wall', { page: 'wall' }],
  ['/watch', { page: 'watch' }],
  ['/replay', { page: 'shared-replay' }],
  ['/watch/s1', { page: 'not-found' }],
  ['/sessions/s%201', { page: 'session', sessionId: 's 1' }],
  ['/sessions/s%201/details', { page: 'session-details', sessionId: 's 1' }],
  ['/sessions/s1/more', { page: 'not-found' }],
  ['/sessions/s1/details/more', { page: 'not-found' }],
  ['/devices/d1', { page: 'not-found' }],
  ['/nowhere', { page: 'not-found' }],
  ['/sessions/%E0%A4%A', { page: 'not-found' }],
])('%s', (path, expected) => {
  expect(routeOf(path)).toEqual(expected);
});
