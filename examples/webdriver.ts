// Drives a phone with W3C WebDriver, without a client library: starts an app, taps, reads the result from the screen,
// saves the screen as a PNG, and ends the session even if a step fails.
//
//   PHONEBOOTH_URL=https://phones.example.com PHONEBOOTH_API_KEY=pb_… npx --no-install node examples/webdriver.ts [screen.png]
//
// As a command of `phonebooth run` it uses the phone that is already borrowed.
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const { PHONEBOOTH_URL: url = 'http://localhost:7100', PHONEBOOTH_API_KEY: key } = process.env;
const { PHONEBOOTH_WEBDRIVER_URL: hub = `${url}/wd/hub`, PHONEBOOTH_SESSION_ID: borrowed } = process.env;
if (!key)
  throw new Error('PHONEBOOTH_API_KEY is not set; the one of your own service is in .phonebooth/api-key');
const file = process.argv[2] ?? 'screen.png';

/** The name under which W3C WebDriver returns the identifier of an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** An install of an app may take this long. */
const DEADLINE_MS = 330_000;

async function send<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const response = await fetch(`${hub}/session${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${path || '/'}: ${value.error}: ${value.message}`);
  return value;
}

const { sessionId, capabilities } = await send<{ sessionId: string; capabilities: Record<string, unknown> }>(
  'POST',
  '',
  {
    capabilities: {
      alwaysMatch: {
        platformName: 'Android',
        timeouts: { implicit: 10_000 },
        'phonebooth:options': borrowed ? { session_id: borrowed } : { duration: 5, wait: 60 },
      },
    },
  },
);
console.error(`Borrowed: ${capabilities['appium:deviceName']}.`);

const find = async (using: string, value: string): Promise<string> => {
  const element = await send<Record<string, string>>('POST', `/${sessionId}/element`, { using, value });
  return `/${sessionId}/element/${element[ELEMENT]}`;
};

try {
  const app = { script: 'mobile: activateApp', args: [{ appId: 'com.phonebooth.calculator' }] };
  await send('POST', `/${sessionId}/execute/sync`, app);
  for (const label of ['7', '8']) await send('POST', `${await find('accessibility id', label)}/click`, {});
  const display = await find('id', 'display');
  let shown = '';
  for (let attempt = 0; attempt < 50 && shown !== '78'; attempt++) {
    if (attempt > 0) await delay(200);
    shown = await send<string>('GET', `${display}/text`);
  }
  if (shown !== '78') throw new Error(`the calculator shows ${shown} instead of 78`);
  console.error(`The calculator shows ${shown}.`);
  await writeFile(file, await send<string>('GET', `/${sessionId}/screenshot`), 'base64');
  console.log(file);
} finally {
  await send('DELETE', `/${sessionId}`);
}
