import { expect, test } from 'vitest';
import { failureOf } from './shell-result.ts';

const failure = (exitCode: number, stderr: string, stdout = '') =>
  failureOf({ exitCode, stdout: Buffer.from(stdout), stderr });

test.each([
  [
    'Android 7',
    0,
    'Error while accessing settings provider\njava.lang.SecurityException: …\n',
    'Error while',
  ],
  [
    'Android 10',
    255,
    'Security exception: Permission denial: writing\n\njava.lang.SecurityException: …',
    'Security exc',
  ],
  [
    'Android 14',
    255,
    "\nException occurred while executing 'put':\njava.lang.SecurityException: Permission denial\n\tat a.b.C(D.java:1)\n",
    'java.lang.SecurityException: Permission denial',
  ],
  ['a service that is away', 20, "cmd: Can't find service: settings\n", "cmd: Can't find service: settings"],
  ['a silent command', 1, '', 'exit code 1'],
])('a command that failed on %s says why', (_, exitCode, stderr, says) => {
  expect(failure(exitCode, stderr)).toContain(says);
});

test('a command that succeeded, with a warning of the linker, did not fail', () => {
  expect(failure(0, 'WARNING: linker: libdvm.so has text relocations\n', 'value\n')).toBeNull();
});
