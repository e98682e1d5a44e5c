import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { registerFonts } from './fonts.ts';
import { Painter } from './painter.ts';
import { familiesFor } from './script-fonts.ts';

registerFonts();

/** Draws a text and returns its pixels. */
function drawn(text: string): string {
  const canvas = createCanvas(80, 60);
  new Painter(canvas.getContext('2d')).text(text, 10, 45, { size: 40, color: '#000000' });
  return canvas.toBuffer('image/png').toString('base64');
}

describe('the fonts of other scripts', () => {
  test.each([
    ['Hebrew', 'שלום'],
    ['Arabic', 'مرحبا'],
    ['Japanese', 'かなカ漢字'],
    ['Chinese', '简体汉语'],
    ['emoji', '😀🎉🚀🐈✅⭐'],
  ])('draws %s, each character in its own form', (_, text) => {
    const forms = [...text].map(drawn);
    expect(new Set(forms).size).toBe(forms.length);
    // A character that no font has is drawn as a box.
    expect(forms).not.toContain(drawn('\u{e000}'));
    expect(forms).not.toContain(drawn(''));
  });

  test('loads nothing for the scripts of Inter', () => {
    expect(familiesFor('“Straße” – Ελλάδα, Москва, Tiếng Việt…')).toEqual([]);
  });

  test('loads only the files that a text needs', () => {
    expect(familiesFor('שלום עולם')).toEqual(['noto-sans-hebrew hebrew']);
    expect(familiesFor('繫')).toEqual([expect.stringMatching(/^noto-sans-jp \d+$/)]);
  });
});
