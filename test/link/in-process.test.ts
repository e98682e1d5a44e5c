import { expect, test } from 'vitest';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { LinkError } from '../../src/link/link.ts';
import { linkSuite } from './link-suite.ts';

linkSuite('in process', async () => {
  const links = new InProcessLinks();
  return { listener: links.listen('gateway'), dialer: links, close: async () => {} };
});

test('rejects a second listener for a name, and frees the name on close', async () => {
  const links = new InProcessLinks();
  const listener = links.listen('gateway');
  expect(listener.ingest).toBe('in-process:gateway');
  expect(() => links.listen('gateway')).toThrow(LinkError);
  await listener[Symbol.asyncDispose]();
  await links.listen('gateway')[Symbol.asyncDispose]();
});
