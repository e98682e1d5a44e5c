import { expect, test } from 'vitest';
import { CaptureList, MOST_BYTES, MOST_CAPTURES } from './capture-list.ts';

function create() {
  const urls = new Set<string>();
  const list = new CaptureList({
    createObjectURL: () => {
      const url = `blob:${urls.size}-${Math.random()}`;
      urls.add(url);
      return url;
    },
    revokeObjectURL: (url) => urls.delete(url),
  });
  const add = (name: string, size = 1) =>
    list.add({ sessionId: 's', kind: 'image', name, file: { size } as Blob });
  return { urls, list, add, names: () => list.list().map(({ name }) => name) };
}

test('keeps the newest captures, and releases the others', () => {
  const { urls, list, add, names } = create();
  for (let at = 0; at < MOST_CAPTURES + 5; at += 1) add(`${at}`);
  expect(names()).toHaveLength(MOST_CAPTURES);
  expect(names()[0]).toBe(`${MOST_CAPTURES + 4}`);
  expect(urls.size).toBe(MOST_CAPTURES);
  list.remove(list.list()[0]!.id);
  expect(names()[0]).toBe(`${MOST_CAPTURES + 3}`);
  expect(urls.size).toBe(MOST_CAPTURES - 1);
});

test('limits the size of all captures, but keeps the newest', () => {
  const { add, names } = create();
  add('small');
  add('half', MOST_BYTES / 2);
  expect(names()).toEqual(['half', 'small']);
  add('large', MOST_BYTES);
  expect(names()).toEqual(['large']);
  add('larger', MOST_BYTES + 1);
  expect(names()).toEqual(['larger']);
});
