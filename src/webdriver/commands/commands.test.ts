import { expect, test } from 'vitest';
import { Locator } from '../locating/locate.ts';
import type { AutomatedPhone, SessionState } from '../phone.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { Commands } from './commands.ts';

const field = (id: string, y: number) => ({
  ...{ role: 'button', id, text: id },
  bounds: { x: 0, y, width: 1, height: 0.1 },
});
const children = [field('shown', 0.5), field('below', 1.2)];
const ROOT = { role: 'screen', bounds: { x: 0, y: 0, width: 1, height: 1 }, children };
const STATE: SessionState = {
  ...{ resolution: '100x200', implicitMs: 0, pageLoadMs: 0, scriptMs: null, appium: null },
};
const phone = {
  size: { width: 100, height: 200 },
  call: async (method: string) => (method === 'ui.tree' ? { root: ROOT } : null),
  release: async () => {},
} as unknown as AutomatedPhone;
const commands = new Commands(new Locator(null as never));

async function send(method: string, path: string, body = {}): Promise<unknown> {
  const { run, params } = commands.find(method, path);
  const session = { sessionId: 'ses_1', accountId: 'acc_1', phone, state: STATE, save: async () => {} };
  return run({ ...session, body, params, signal: AbortSignal.timeout(60_000) });
}

const find = async (id: string) =>
  ((await send('POST', '/element', { using: 'id', value: id })) as Record<string, string>)[ELEMENT_KEY]!;

test('an element that is not displayed cannot be clicked, typed into or captured', async () => {
  const below = await find('below');
  expect(await send('GET', `/element/${below}/displayed`)).toBe(false);
  for (const [method, path] of [
    ['POST', 'click'],
    ['POST', 'value'],
    ['POST', 'clear'],
    ['GET', 'screenshot'],
  ] as const)
    await expect(send(method, `/element/${below}/${path}`, { text: 'a' })).rejects.toMatchObject({
      error: 'element not interactable',
    });
  expect(await send('POST', `/element/${await find('shown')}/click`)).toBeNull();
});

test('the scripts of Selenium for two commands are these commands', async () => {
  const element = { [ELEMENT_KEY]: await find('shown') };
  const script = (name: string) => `/* ${name} */return (function(){}).apply(null, arguments)`;
  const execute = (name: string, ...args: unknown[]) =>
    send('POST', '/execute/sync', { script: script(name), args: [element, ...args] });
  expect(await execute('isDisplayed')).toBe(true);
  expect(await execute('getAttribute', 'resource-id')).toBe('shown');
  await expect(execute('other')).rejects.toMatchObject({ error: 'unsupported operation' });
});
