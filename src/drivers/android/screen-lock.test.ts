import { expect, test } from 'vitest';
import { parseLockSettings, parseTrust } from './screen-lock.ts';

const settings = (type: string) =>
  `Current lock settings service state:\n\nUser State:\n  User 0\n    SID: 0\n    Quality: 0\n    CredentialType: ${type}\n  User 10\n    CredentialType: None\n`;
const trust = (locked: number) =>
  `Trust manager state:\n User "Work" (id=10, flags=0x30): trusted=0, deviceLocked=1\n User "Owner" (id=0, flags=0x13) (current): trusted=0, trustManaged=1, deviceLocked=${locked}, strongAuthRequired=0x0\n`;

test.each([
  ['None', ''],
  ['NONE', ''],
  ['Pin', 'a PIN'],
  ['PATTERN', 'a pattern'],
  ['Password', 'a password'],
  ['Unknown -1', null],
])('parses lock_settings: %s', (type, lock) => expect(parseLockSettings(settings(type))).toBe(lock));

test('returns an unknown lock for lock_settings before Android 11', () => {
  expect(
    parseLockSettings('Current lock settings service state:\n    User 0\n        SID = 5a1b\n'),
  ).toBeNull();
  expect(parseLockSettings("Can't find service: lock_settings\n")).toBeNull();
});

test('parses whether the current user is locked out from the trust state', () => {
  expect(parseTrust(trust(1))).toBe('a PIN, a pattern or a password');
  expect(parseTrust(trust(0))).toBe('');
  expect(parseTrust("disabled because the third-party apps can't run yet.\n")).toBe('');
});
