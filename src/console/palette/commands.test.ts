import { expect, test } from 'vitest';
import { type Command, findCommands } from './commands.ts';

const command = (group: string, label: string, disabled = false): Command => ({
  ...{ id: label, group, label, disabled },
  run: () => {},
});
const commands = [
  command('Go to', 'Phones'),
  command('Connect to', 'Google Pixel 9'),
  command('Connect to', 'Google Pixel 7a'),
  command('This session', 'Rotate', true),
];
const found = (search: string) => findCommands(commands, search).map(({ label }) => label);

test('finds commands by words of their label and group', () => {
  expect(found('pixel connect')).toEqual(['Google Pixel 9', 'Google Pixel 7a']);
  expect(found('GO')).toEqual(['Phones', 'Google Pixel 9', 'Google Pixel 7a']);
  expect(found('nothing')).toEqual([]);
});

test('leaves out commands that are not possible now', () => {
  expect(found('')).toEqual(['Phones', 'Google Pixel 9', 'Google Pixel 7a']);
});
