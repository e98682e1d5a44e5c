import { describe, expect, test } from 'vitest';
import { socketUrlFor } from './socket-url.ts';

describe('socketUrlFor', () => {
  const url = 'wss://stream.example.com:7143/stream/token-1/session-1';

  test('uses the page’s origin and keeps the path on a plain HTTP page', () => {
    const page = { protocol: 'http:', host: 'localhost:7100' };
    expect(socketUrlFor(page, url)).toBe('ws://localhost:7100/stream/token-1/session-1');
  });

  test('uses the address unchanged on an HTTPS page', () => {
    expect(socketUrlFor({ protocol: 'https:', host: 'phones.example.com' }, url)).toBe(url);
  });
});
