import { expect, test } from 'vitest';
import { mayReport } from './device-host.ts';

const device = { hostId: 'h1', isHostRevoked: false, isForgotten: false, isLive: false };

test.each([
  ['its own host, even if that was revoked', 'h1', { isHostRevoked: true }, true],
  ['another host', 'h2', {}, false],
  ['another host after its own was revoked', 'h2', { isHostRevoked: true }, true],
  ['another host after an operator deleted it', 'h2', { isForgotten: true }, true],
  ['another host while a session holds it', 'h2', { isHostRevoked: true, isLive: true }, false],
])('decides whether a device is accepted from %s: %s %j %s', (_whom, hostId, facts, isTaken) => {
  expect(mayReport(hostId, { ...device, ...facts })).toBe(isTaken);
});
