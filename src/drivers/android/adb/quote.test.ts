import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellLine } from './quote.ts';

test('quotes only words that need quoting', () => {
  expect(shellLine('pm', 'path', 'com.acme.app')).toBe('pm path com.acme.app');
  expect(shellLine('am', 'start', '-d', "http://a/?x=1&y=';reboot;'")).toBe(
    `am start -d 'http://a/?x=1&y='\\'';reboot;'\\'''`,
  );
  expect(shellLine('')).toBe("''");
});

test('a shell parses exactly the original words', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), (words) => {
      const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${shellLine(...words)}`], {
        encoding: 'utf8',
      });
      expect(printed.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 6 },
  );
});

test('rejects words that no argument can contain', () => {
  expect(() => shellLine('a\0b')).toThrow(RangeError);
});
