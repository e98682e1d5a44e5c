import { expect, test } from 'vitest';
import { appendEntry, MOST_COMMANDS, recall, type ShellEntry, shownOutput } from './shell-history.ts';

test('recalls earlier commands, and an empty line after the last', () => {
  const commands = ['ls', 'getprop'];
  expect(recall(commands, 2, -1)).toEqual({ at: 1, command: 'getprop' });
  expect(recall(commands, 1, -1)).toEqual({ at: 0, command: 'ls' });
  expect(recall(commands, 0, -1)).toEqual({ at: 0, command: 'ls' });
  expect(recall(commands, 1, 1)).toEqual({ at: 2, command: '' });
  expect(recall([], 0, -1)).toEqual({ at: 0, command: '' });
});

test('keeps the newest results and the end of a long output', () => {
  let entries: readonly ShellEntry[] = [];
  for (let number = 0; number < MOST_COMMANDS + 3; number += 1)
    entries = appendEntry(entries, { number, command: 'ls', output: '', exitCode: 0 });
  expect(entries).toHaveLength(MOST_COMMANDS);
  expect(entries[0]!.number).toBe(3);
  expect(shownOutput('short')).toBe('short');
  expect(shownOutput(`${'a'.repeat(200_000)}z`)).toMatch(/^…a{99999}z$/);
});
