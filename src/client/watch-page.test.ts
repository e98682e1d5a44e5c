import { describe, expect, test } from 'vitest';
import { readWatchPage, watchPage } from './watch-page.ts';

const path = '/stream/watch_a-1.tok_en-1/ses_1';
const streamUrl = `wss://stream.example.com:7143${path}`;
const fragmentOf = (link: string) => new URL(link).hash;

describe('the address of a watch page', () => {
  test('brings back the path and the name that it was made of', () => {
    const page = watchPage('https://phones.example.com', { streamUrl, name: 'Pixel 8 & #2' });
    expect(readWatchPage(fragmentOf(page))).toEqual({ path, name: 'Pixel 8 & #2' });
  });

  test('keeps the token out of all that is sent to a server', () => {
    const { pathname, search } = new URL(watchPage('https://phones.example.com', { streamUrl, name: '' }));
    expect(pathname + search).toBe('/watch');
  });

  test('leads to this service, whatever host it names', () => {
    const page = watchPage('https://phones.example.com', {
      streamUrl: `wss://evil.example${path}`,
      name: '',
    });
    expect(readWatchPage(fragmentOf(page))).toEqual({ path, name: '' });
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
    expect(readWatchPage(fragment)).toBeNull();
  });
});
