import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextLayout } from './text-layout.ts';

/** Every UTF-16 unit is 10 wide. */
function layOut(text: string, width: number): TextLayout {
  const layout = new TextLayout((part) => part.length * 10, 20);
  layout.update(text, width);
  return layout;
}
const lines = (text: string, width: number) =>
  layOut(text, width).lines.map(({ start, end }) => text.slice(start, end));

describe('a text layout', () => {
  it('breaks between words, and within words that are too long', () => {
    expect(lines('one two three', 80)).toEqual(['one two ', 'three']);
    expect(lines('abcdefgh', 30)).toEqual(['abc', 'def', 'gh']);
    expect(lines('a\n\nb', 80)).toEqual(['a', '', 'b']);
    expect(lines('', 80)).toEqual(['']);
  });

  it('preserves all text and overflows only with spaces', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 10, max: 120 }), (written, width) => {
        const shown = lines(written, width);
        expect(shown.join('')).toBe(written.replaceAll('\n', ''));
        for (const line of shown) expect(line.trimEnd().length * 10).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('maps a position to the caret and back', () => {
    const layout = layOut('one two three', 80);
    expect(layout.pointOf(9)).toEqual({ x: 10, y: 20 });
    expect(layout.positionAt({ x: 12, y: 25 })).toBe(9);
    expect(layout.positionAt({ x: 1000, y: 1000 })).toBe(13);
    expect(layout.positionAt({ x: -5, y: -5 })).toBe(0);
  });
});
