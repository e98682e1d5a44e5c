import { describe, expect, it } from 'vitest';
import { MAX_FIELD_LENGTH, TextField } from './text-field.ts';

const field = (text: string, multiline = true) => new TextField({ text, multiline, onChange: () => {} });

describe('a text field', () => {
  it('deletes and steps over whole graphemes, however many code units they have', () => {
    const edited = field('a👩‍👩‍👧é');
    edited.deleteBackward();
    expect(edited.text).toBe('a👩‍👩‍👧');
    edited.step(-1);
    expect(edited.caret).toBe(1);
    edited.deleteForward();
    expect(edited.text).toBe('a');
  });

  it('replaces the selection with typed text', () => {
    const edited = field('one two three');
    edited.selectWordAt(5);
    expect(edited.selectedText).toBe('two');
    edited.insert('2');
    expect(edited.text).toBe('one 2 three');
    expect(edited.caret).toBe(5);
  });

  it('moves the caret from a selection to its end', () => {
    const edited = field('hello');
    edited.select(1, 4);
    edited.step(-1);
    expect([edited.caret, edited.selectedText]).toEqual([1, '']);
    edited.step(1, { select: true });
    expect(edited.selectedText).toBe('e');
  });

  it('has a single-line and a multi-line mode', () => {
    const single = field('', false);
    single.insert('a\r\nb');
    expect(single.text).toBe('a b');
    const several = field('');
    several.insert('a\r\nb');
    expect(several.text).toBe('a\nb');
  });

  it('bounds the length of its text', () => {
    const edited = field('');
    edited.insert('x'.repeat(MAX_FIELD_LENGTH + 5));
    edited.insert('y');
    expect(edited.text).toBe('x'.repeat(MAX_FIELD_LENGTH));
  });

  it('ignores caret moves beyond its ends', () => {
    const edited = field('');
    edited.deleteBackward();
    edited.deleteForward();
    edited.step(-1);
    edited.step(1);
    expect([edited.text, edited.caret]).toEqual(['', 0]);
  });
});
