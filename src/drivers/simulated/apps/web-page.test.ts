import { describe, expect, it } from 'vitest';
import { addressOf, pageFor } from './web-page.ts';

describe('text in the address bar', () => {
  it.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['example.com', 'https://example.com'],
    ['example.com/path', 'https://example.com/path'],
    ['about:start', 'about:start'],
    ['two words', 'https://search.example/?q=two%20words'],
    ['word', 'https://search.example/?q=word'],
  ])('%s opens %s', (typed, url) => {
    expect(addressOf(typed)).toBe(url);
  });
});

describe('a page', () => {
  it('is generated from its address', () => {
    const page = pageFor('https://www.example.com/garden-tools?size=2');
    expect(page).toMatchObject({ site: 'www.example.com', title: 'Garden tools' });
    expect(page.paragraphs.join(' ')).toContain('size=2');
    expect(page.links).toContainEqual({ label: 'Help', url: 'https://www.example.com/help' });
  });

  it('handles invalid addresses', () => {
    expect(pageFor('https://').title).toBe('This address cannot be read');
    expect(pageFor('tel:123').site).toBe('No page');
    expect(pageFor('https://example.com/%E0%A4%A').title).toBe('%E0%A4%A');
  });
});
