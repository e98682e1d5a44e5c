import { Commands, type FoundCommand } from '../../../src/webdriver/commands/commands.ts';
import { Locator } from '../../../src/webdriver/locating/locate.ts';
import { matchSelector } from '../../../src/webdriver/locating/match-selector.ts';
import type { AutomatedPhone, SessionState } from '../../../src/webdriver/phone.ts';
import { WebDriverError } from '../../../src/webdriver/protocol/errors.ts';
import { isObject } from '../../../src/webdriver/protocol/values.ts';
import { ELEMENT_KEY } from '../../../src/webdriver/screen/element-references.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const SIZE = { width: 1080, height: 2400 };
const child = {
  role: 'textfield',
  id: 'field',
  text: 'text',
  bounds: { x: 0, y: 0.1, width: 1, height: 0.1 },
};
const ROOT = { role: 'screen', bounds: { x: 0, y: 0, width: 1, height: 1 }, children: [child, child] };
const STATE: SessionState = {
  resolution: '1080x2400',
  implicitMs: 0,
  pageLoadMs: 0,
  scriptMs: null,
  appium: null,
};

const RESULTS: Record<string, unknown> = {
  'ui.tree': { root: ROOT },
  'app.list': { apps: [{ package: 'com.example.app' }] },
  'clipboard.get': { text: 'text' },
  shell: { stdout: '', stderr: '', exit_code: 0 },
};

/** A phone that accepts every call. Its results do not depend on the parameters. */
const PHONE: AutomatedPhone = {
  size: SIZE,
  call: (async (method: string) => RESULTS[method] ?? null) as AutomatedPhone['call'],
  screenshot: async () => Buffer.from('png'),
  install: async () => 'com.example.app',
  takeLog: async () => [],
  release: async () => {},
};

/** Regular expressions and XPath run in threads that are stopped after a deadline. They are not run here. */
const threads = {
  locate: async (_: string, job: Parameters<ConstructorParameters<typeof Locator>[0]['locate']>[1]) => {
    if (job.by === 'xpath') return [0];
    const conditions = job.selector.conditions.filter(({ by }) => by !== 'matches');
    return matchSelector(job.elements, { ...job.selector, conditions }, job.within);
  },
};
const commands = new Commands(new Locator(threads as ConstructorParameters<typeof Locator>[0]));

/** A method, a path and a body, as a client sends them. The actions of the seeds take no time. */
const SEEDS: [string, string, unknown][] = [
  ['POST', '/element', { using: 'id', value: 'field' }],
  ['POST', '/elements', { using: 'css selector', value: '*[id="field"]' }],
  ['POST', '/element', { using: '-android uiautomator', value: 'new UiSelector().text("text").instance(0)' }],
  [
    'POST',
    '/element',
    {
      using: '-android uiautomator',
      value: 'new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().text("a"))',
    },
  ],
  ['POST', '/element/found/click', {}],
  ['POST', '/element/found/element', { using: 'class name', value: 'android.widget.EditText' }],
  ['GET', '/element/found/attribute/text', {}],
  ['GET', '/source', {}],
  [
    'POST',
    '/execute/sync',
    { script: 'mobile: swipeGesture', args: [{ elementId: 'found', direction: 'up' }] },
  ],
  ['POST', '/execute/sync', { script: 'mobile: shell', args: [{ command: 'ls', args: ['-l'] }] }],
  ['POST', '/execute/sync', { script: '/* isDisplayed */return (f)', args: [{ [ELEMENT_KEY]: 'found' }] }],
  ['POST', '/timeouts', { implicit: 0, pageLoad: 1, script: null }],
  ['POST', '/orientation', { orientation: 'LANDSCAPE' }],
  ['POST', '/log', { type: 'logcat' }],
  [
    'POST',
    '/actions',
    {
      actions: [
        {
          type: 'pointer',
          actions: [
            { type: 'pointerMove', x: 1, y: 1, origin: { [ELEMENT_KEY]: 'found' } },
            { type: 'pointerDown' },
          ],
        },
        { type: 'key', actions: [{ type: 'keyDown', value: '\ue008' }] },
        { type: 'wheel', actions: [{ type: 'scroll', x: 1, y: 1, deltaX: 0, deltaY: 100 }] },
      ],
    },
  ],
];

/** Parses and performs a command of a WebDriver client. */
export const target: Target = {
  maxMs: 2_000,
  seeds: () => SEEDS.map((seed) => Buffer.from(JSON.stringify(seed))),
  run: async (input) => {
    const parsed = unlessRefused([SyntaxError], () => JSON.parse(input.toString()));
    if (!Array.isArray(parsed)) return;
    const [method, path, body] = parsed;
    if (typeof method !== 'string' || typeof path !== 'string' || !isObject(body) || takesTime(body)) return;
    const reference = await foundElement();
    const found = unlessRefused([WebDriverError], () =>
      commands.find(method, path.replace('found', reference)),
    );
    if (!found) return;
    const text = JSON.stringify(body).replaceAll('"found"', JSON.stringify(reference));
    const value = await perform(found, JSON.parse(text));
    JSON.stringify(value);
  },
};

async function foundElement(): Promise<string> {
  const found = commands.find('POST', '/element');
  const element = (await perform(found, { using: 'id', value: 'field' })) as Record<string, string>;
  return element[ELEMENT_KEY]!;
}

/** Runs one command. The only errors are those of WebDriver. */
async function perform({ run, params }: FoundCommand, body: Record<string, unknown>): Promise<unknown> {
  const save = async (state: SessionState) => {
    if (JSON.stringify(state).length > 4096) throw new Error('the state is too large for the host');
  };
  const session = { sessionId: 'ses_1', accountId: 'acc_1', phone: PHONE, state: STATE, save };
  try {
    return await run({ ...session, body, params, signal: AbortSignal.timeout(60_000) });
  } catch (error) {
    if (error instanceof WebDriverError) return null;
    throw error;
  }
}

/** Whether the body has a duration, or another number that a mutation may have turned into one. */
const takesTime = (body: unknown) => /"(duration|speed|percent)"/.test(JSON.stringify(body));
