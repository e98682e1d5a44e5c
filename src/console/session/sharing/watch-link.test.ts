import { describe, expect, test } from 'vitest';
import { readWatchLink, watchLink } from './watch-link.ts';

const streamUrl = 'wss://stream.example.com:7143/stream/tok_en-1/s-1';
const fragmentOf = (link: string) => new URL(link).hash;

describe('a link to watch', () => {
  test('brings back what it was made of', () => {
    const watched = { streamUrl, name: 'Pixel 8 & #2' };
    expect(readWatchLink(fragmentOf(watchLink('https://phones.example.com', watched)))).toEqual(watched);
  });

  test('keeps the token out of all that is sent to a server', () => {
    const { pathname, search } = new URL(watchLink('https://phones.example.com', { streamUrl, name: '' }));
    expect(pathname + search).toBe('/watch');
  });

  test.each([
    ['nothing', ''],
    ['no stream', '#name=Pixel'],
    ['half an address', '#stream=wss%3A%2F%2Fstream.example.com%2Fstream%2Ftoken'],
    ['an address of control', '#stream=wss%3A%2F%2Fa.example%2Fcontrol%2Ftoken%2Fs1'],
    ['a page', '#stream=https%3A%2F%2Fa.example%2Fstream%2Ftoken%2Fs1'],
    ['more than a stream', '#stream=wss%3A%2F%2Fa.example%2Fstream%2Ftoken%2Fs1%3Fx%3D1'],
    ['a user', '#stream=wss%3A%2F%2Fuser%40a.example%2Fstream%2Ftoken%2Fs1'],
  ])('with %s is refused', (_, fragment) => {
    expect(readWatchLink(fragment)).toBeNull();
  });
});
