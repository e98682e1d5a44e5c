import { expect, test, vi } from 'vitest';
import type { BorrowedPhones } from './borrowed-phones.ts';
import { labelOf, markCall } from './marks.ts';

test('a mark names the tool and where it acts, but nothing that is typed', () => {
  expect(labelOf('tap', { element: 'e4', x: undefined })).toBe('tap element="e4"');
  expect(labelOf('swipe', { from_x: 0.5, direction: 'up', show: 'text' })).toBe(
    'swipe from_x=0.5 direction="up"',
  );
  const secrets = {
    text: 'secret',
    key: 's',
    url: 'https://a/?token=secret',
    proxy: 'u:secret@a',
    path: 'secret',
  };
  expect(labelOf('type_text', { ...secrets, submit: true })).toBe('type_text submit=true');
});

/** The marks that reach a phone with this recording and these capabilities. */
function marksOf(session: { isRecorded: boolean; capabilities: string[] }, fails = false): string[] {
  const marks: string[] = [];
  const mark = vi.fn(async (label: string) => {
    marks.push(label);
    if (fails) throw new Error('the phone did not respond');
    return true;
  });
  const phones = { find: () => ({ session: { ...session, mark } }) } as unknown as BorrowedPhones;
  markCall(phones, 'look', {});
  return marks;
}

test('only recorded sessions get marks, from hosts that support them', () => {
  const capabilities = ['tap', 'recording.mark'];
  expect(marksOf({ isRecorded: true, capabilities })).toEqual(['look']);
  expect(marksOf({ isRecorded: true, capabilities }, true)).toEqual(['look']);
  expect(marksOf({ isRecorded: false, capabilities })).toEqual([]);
  expect(marksOf({ isRecorded: true, capabilities: ['tap'] })).toEqual([]);
});
