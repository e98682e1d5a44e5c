import { expect, test } from 'vitest';
import { scriptOf, splitResults } from './shell-batch.ts';

const MARKER = 'c0ffee';

test('follows each command with its exit code', () => {
  expect(scriptOf(['settings get a b', 'pm path c'], MARKER)).toBe(
    'settings get a b; echo c0ffee$?; echo c0ffee >&2; pm path c; echo c0ffee$?; echo c0ffee >&2',
  );
});

test('separates the outputs of the commands byte by byte', () => {
  const stdout = Buffer.from(`one\ntwo\n${MARKER}0\n${MARKER}20\nno newline${MARKER}255\n`);
  const stderr = Buffer.from(`${MARKER}\ncmd: Can't find service: settings\n${MARKER}\n${MARKER}\n`);
  expect(splitResults(stdout, stderr, MARKER, 3)).toEqual([
    { exitCode: 0, stdout: Buffer.from('one\ntwo\n'), stderr: '' },
    { exitCode: 20, stdout: Buffer.from(''), stderr: "cmd: Can't find service: settings\n" },
    { exitCode: 255, stdout: Buffer.from('no newline'), stderr: '' },
  ]);
});

test('fails if the shell ends early', () => {
  const stderr = Buffer.from(`${MARKER}\n${MARKER}\n`);
  expect(() => splitResults(Buffer.from(`one\n${MARKER}0\ntwo`), stderr, MARKER, 2)).toThrow(
    'the shell on the phone exited before its last command',
  );
});
