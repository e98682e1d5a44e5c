import { describe, expect, test } from 'vitest';
import { socketUrlFor } from './socket-url.ts';

describe('socketUrlFor', () => {
  const url = 'wss://stream.example.com:7143/stream/token-1/session-1';

  test('a page on plain HTTP uses its own origin and keeps the path', () => {
    const page = { protocol: 'http:', host: 'localhost:7100' };
    expect(socketUrlFor(page, url)).toBe('ws://localhost:7100/stream/token-1/session-1');
  });

  test('a page on HTTPS uses the address as it is', () => {
    expect(socketUrlFor({ protocol: 'https:', host: 'phones.example.com' }, url)).toBe(url);
  });
});
