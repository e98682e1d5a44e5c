import { expect, test } from 'vitest';
import type { Session } from '../../contract/http/session.ts';
import { lengthOf, sessionSteps } from './session-events.ts';

const at = (second: number) => `2026-11-23T10:00:${String(second).padStart(2, '0')}.000Z`;
const session = (more: Partial<Session>): Session => ({
  ...{ session_id: 'ses_1', device_id: 'd1', device_name: 'Pixel', device_model: null, created_by: null },
  ...{
    stream_url: 'wss://s',
    control_url: null,
    adb_url: null,
    app_id: null,
    app_status: null,
    app_error: null,
    recording: null,
  },
  ...{ minutes_reserved: 30, minutes_charged: null, end_reason: null, end_detail: null, ended_at: null },
  ...{ status: 'connecting', created_at: at(0), connected_at: null, expires_at: '2026-11-23T10:30:00.000Z' },
  ...more,
});

test('lists the steps of a session up to its end, or up to its latest end', () => {
  const titles = (more: Partial<Session>) => sessionSteps(session(more)).map(({ title }) => title);
  expect(titles({})).toEqual(['Requested', 'Ends at the latest']);
  expect(titles({ connected_at: at(2) })).toEqual(['Requested', 'Ready', 'Ends at the latest']);
  expect(titles({ ended_at: at(50), end_reason: 'start_timeout' })).toEqual(['Requested', 'Did not start']);
  const ended = { connected_at: at(2), ended_at: at(50), end_reason: 'admin', end_detail: 'Needed' } as const;
  expect(sessionSteps(session(ended)).slice(1)).toEqual([
    { title: 'Ready', at: at(2), detail: 'After 2 s' },
    {
      title: 'Ended',
      at: at(50),
      detail: 'Ended by an operator, or its API key was revoked. “Needed”',
    },
  ]);
});

test('measures from the time at which the phone was ready, until the end or until now', () => {
  const now = Date.parse(at(42));
  expect(lengthOf(session({}), now)).toBeNull();
  expect(lengthOf(session({ connected_at: at(2) }), now)).toBe(40_000);
  expect(lengthOf(session({ connected_at: at(2), ended_at: at(12) }), now)).toBe(10_000);
});
