import { expect, test } from 'vitest';
import { parseToolsLayout, WIDTHS } from './tools-layout.ts';

test('opens the tools of a new user', () => {
  expect(parseToolsLayout(null)).toEqual({
    ...{ open: true, tab: 'apps', width: 384, share: 0.5 },
    ...{ logDocked: false, dockShare: 0.35, logWrap: false },
  });
});

test('restores what was stored', () => {
  const stored = {
    ...{ open: false, tab: 'log', width: 500, share: 0.4 },
    ...{ logDocked: true, dockShare: 0.5, logWrap: true },
  };
  expect(parseToolsLayout(JSON.stringify(stored))).toEqual(stored);
});

test('replaces values that are not valid, and limits sizes', () => {
  expect(parseToolsLayout('{"open":"yes","tab":7,"width":9000,"share":null}')).toEqual({
    ...parseToolsLayout(null),
    width: WIDTHS.most,
  });
  for (const stored of ['', '{', '7', '[]', 'null']) {
    expect(parseToolsLayout(stored)).toEqual(parseToolsLayout(null));
  }
});
