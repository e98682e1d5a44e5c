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
  ['an unavailable service', 20, "cmd: Can't find service: settings\n", "cmd: Can't find service: settings"],
  ['a command without output', 1, '', 'exit code 1'],
])('reports the reason of a command that failed with %s', (_, exitCode, stderr, says) => {
  expect(failure(exitCode, stderr)).toContain(says);
});

test('accepts a successful command with a linker warning', () => {
  expect(failure(0, 'WARNING: linker: libdvm.so has text relocations\n', 'value\n')).toBeNull();
});
