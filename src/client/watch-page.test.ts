import { describe, expect, test } from 'vitest';
import { readWatchPage, watchPage } from './watch-page.ts';

const path = '/stream/watch_a-1.tok_en-1/ses_1';
const streamUrl = `wss://stream.example.com:7143${path}`;
const fragmentOf = (link: string) => new URL(link).hash;

describe('watch page address', () => {
  test('round-trips the path and the name', () => {
    const page = watchPage('https://phones.example.com', { streamUrl, name: 'Pixel 8 & #2' });
    expect(readWatchPage(fragmentOf(page))).toEqual({ path, name: 'Pixel 8 & #2' });
  });

  test('keeps the token in the fragment, which is not sent to a server', () => {
    const { pathname, search } = new URL(watchPage('https://phones.example.com', { streamUrl, name: '' }));
    expect(pathname + search).toBe('/watch');
  });

  test('always refers to this service, whatever host the address names', () => {
    const page = watchPage('https://phones.example.com', {
      streamUrl: `wss://evil.example${path}`,
      name: '',
    });
    expect(readWatchPage(fragmentOf(page))).toEqual({ path, name: '' });
  });

  test.each([
    ['nothing', ''],
    ['no stream address', '#name=Pixel'],
    ['a truncated address', '#stream=wss%3A%2F%2Fstream.example.com%2Fstream%2Ftoken'],
    ['a control path', '#stream=wss%3A%2F%2Fa.example%2Fcontrol%2Ftoken%2Fs1'],
    ['a page path', '#stream=https%3A%2F%2Fa.example%2Fstream%2Ftoken%2Fs1'],
    ['a path below the stream', '#stream=wss%3A%2F%2Fa.example%2Fstream%2Ftoken%2Fs1%3Fx%3D1'],
    ['credentials', '#stream=wss%3A%2F%2Fuser%40a.example%2Fstream%2Ftoken%2Fs1'],
  ])('rejects an address with %s', (_, fragment) => {
    expect(readWatchPage(fragment)).toBeNull();
  });
});
