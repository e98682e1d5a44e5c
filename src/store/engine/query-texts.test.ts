import { expect, test } from 'vitest';
import { list, raw, type Sql, sql } from './engine.ts';
import { QueryTexts } from './query-texts.ts';

const texts = () => new QueryTexts((index) => `$${index}`);

/** Two templates whose nested part is in either place, and may be a parameter. */
const pair = (first: string | Sql<unknown>, second: string | Sql<unknown>) => sql`select ${first}, ${second}`;

test('numbers the parameters and collects the values of nested templates in order', () => {
  const query = pair(sql`f(${'a'})`, 'b');
  expect(texts().read(query)).toEqual({ text: 'select f($1), $2', values: ['a', 'b'] });
});

test('distinguishes queries by where a template is nested, and by the text without parameters', () => {
  const kept = texts();
  for (let turn = 0; turn < 2; turn += 1) {
    expect(kept.read(pair(sql`f(${1})`, 'b')).text).toBe('select f($1), $2');
    expect(kept.read(pair('b', sql`f(${1})`)).text).toBe('select $1, f($2)');
    expect(kept.read(pair(sql`x`, 'b')).text).toBe('select x, $1');
    expect(kept.read(pair(raw('y'), 'b')).text).toBe('select y, $1');
    expect(kept.read(pair('a', 'b')).text).toBe('select $1, $2');
  }
});

test('returns the values of each call with the text of the first', () => {
  const kept = texts();
  expect(kept.read(pair('a', 'b')).values).toEqual(['a', 'b']);
  expect(kept.read(pair('c', sql`${'d'}`)).values).toEqual(['c', 'd']);
  expect(kept.read(pair('e', 'f'))).toEqual({ text: 'select $1, $2', values: ['e', 'f'] });
});

test('renders lists of any length', () => {
  const kept = texts();
  const rows = (count: number) => list(Array.from({ length: count }, (_, n) => sql`(${n})`));
  const insert = (count: number) => sql`insert into t values ${rows(count)} returning ${'x'}`;
  for (const count of [1, 3, 2])
    expect(kept.read(insert(count))).toEqual({
      text: `insert into t values ${Array.from({ length: count }, (_, n) => `($${n + 1})`).join(', ')} returning $${count + 1}`,
      values: [...Array.from({ length: count }, (_, n) => n), 'x'],
    });
});

test('renders more queries than it keeps', () => {
  const kept = texts();
  for (let n = 0; n < 5_000; n += 1) expect(kept.read(sql`${raw(`c${n}`)} = ${n}`).text).toBe(`c${n} = $1`);
});
