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
const changes: unknown[] = [];
const phone = {
  size: { width: 100, height: 200 },
  call: async (method: string, params: unknown) => {
    if (method === 'conditions.set') changes.push(params);
    return method === 'ui.tree' ? { root: ROOT } : null;
  },
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

test('the commands of Appium for conditions set them, and name an invalid argument', async () => {
  const set = (name: string, ...args: object[]) =>
    send('POST', '/execute/sync', { script: `mobile: ${name}`, args });
  await set('setUiMode', { mode: 'night', value: 'yes' });
  await set('setGeolocation', { latitude: '52.5', longitude: 13 });
  await set('setConditions', { time_zone: 'Asia/Tokyo', animations: false });
  expect(changes).toEqual([
    { dark_mode: true },
    { location: { lat: 52.5, lng: 13 } },
    { time_zone: 'Asia/Tokyo', animations: false },
  ]);
  for (const [name, args, message] of [
    ['setConditions', { font_scale: 3 }, 'args[0].font_scale must be a number from 0.85 to 2'],
    ['setConditions', { volume: 3 }, 'args[0].volume is not a known field'],
    ['setConditions', { time_zone: 'Mars/Olympus' }, 'args[0].time_zone must be an IANA time zone'],
    ['setUiMode', { mode: 'car', value: 'yes' }, 'mode must be one of night'],
    ['setGeolocation', { latitude: 91, longitude: 0 }, 'latitude must be a number from -90 to 90'],
  ] as const)
    await expect(set(name, args)).rejects.toMatchObject({
      error: 'invalid argument',
      message: expect.stringContaining(message),
    });
  expect(changes).toHaveLength(3);
});
