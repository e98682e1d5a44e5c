import { expect, test } from 'vitest';
import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { appiumSelectorOf, xmlOf, xpathOf } from './selectors.ts';
import { flatten } from './ui-nodes.ts';

const bounds = { x: 0, y: 0.5, width: 1, height: 0.5 };
const root: UiNode = {
  role: 'screen',
  bounds: { x: 0, y: 0, width: 1, height: 1 },
  children: [
    {
      role: 'List',
      bounds,
      children: [
        { role: 'Row', id: 'app:id/row', bounds },
        { role: 'Row', id: 'app:id/row', text: 'Second', bounds },
        { role: 'Label', text: `Say "hi", it's me`, bounds },
      ],
    },
    { role: 'Button', id: 'app:id/ok', text: 'OK', clickable: true, bounds },
  ],
};
const nodes = flatten(root);
const at = (path: string) => nodes.find((placed) => placed.path === path)!;

test('finds a node by its id, then by its text, then by its position', () => {
  expect(xpathOf(at('0.1'), nodes)).toBe('//*[@resource-id="app:id/ok"]');
  expect(xpathOf(at('0.0.1'), nodes)).toBe('(//*[@resource-id="app:id/row"])[2]');
  const hi = `concat("Say ", '"', "hi", '"', ", it's me")`;
  expect(xpathOf(at('0.0.2'), nodes)).toBe(`//*[@text=${hi} or @content-desc=${hi}]`);
  expect(xpathOf(at('0.0'), nodes)).toBe('/*/*[1]');
});

test('finds a node with an id by a selector of UiAutomator', () => {
  expect(appiumSelectorOf(at('0.1'), nodes)).toBe('new UiSelector().resourceId("app:id/ok")');
  expect(appiumSelectorOf(at('0.0.0'), nodes)).toBe('new UiSelector().resourceId("app:id/row").instance(0)');
  expect(appiumSelectorOf(at('0.0'), nodes)).toBeNull();
});

test('exports the nodes as XML without characters that XML does not allow', () => {
  const xml = xmlOf(
    { ...root, children: [{ role: 'Label', text: 'a\u0000<b> & "c"\n', bounds }] },
    { width: 1080, height: 2400 },
  );
  expect(xml).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<hierarchy>\n' +
      '  <node class="Label" text="a&lt;b&gt; &amp; &quot;c&quot;&#10;" resource-id="" clickable="false" ' +
      'focused="false" scrollable="false" checked="false" bounds="[0,1200][1080,2400]" />\n</hierarchy>\n',
  );
});
