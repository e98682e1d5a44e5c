import { apiKeyIn, readCapabilities } from '../../../src/webdriver/protocol/capabilities.ts';
import { WebDriverError } from '../../../src/webdriver/protocol/errors.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const KEY = 'pb_secret';
const MAX_ECHOED = 33_000;

/** Reads the capabilities with which a WebDriver client asks for a session. */
export const target: Target = {
  seeds: () =>
    [
      {
        alwaysMatch: { platformName: 'Android', 'phonebooth:options': { apiKey: KEY, wait: 1, duration: 2 } },
      },
      { firstMatch: [{ platformName: 'iOS' }, { 'appium:options': { deviceName: 'Pixel', udid: 'x' } }] },
      {
        alwaysMatch: {
          'appium:app': 'https://phones.example.com/v1/apps/app_1',
          'appium:newCommandTimeout': 60,
          timeouts: { implicit: 1, script: null },
        },
        firstMatch: [{ 'appium:automationName': 'Phonebooth', 'appium:platformVersion': 16 }],
      },
    ].map((capabilities) => Buffer.from(JSON.stringify({ capabilities }))),
  run: (input) => {
    const body = unlessRefused([SyntaxError], () => JSON.parse(input.toString()));
    const key = apiKeyIn(body);
    const wanted = unlessRefused([WebDriverError], () => readCapabilities(body));
    for (const { echoed, minutes, waitSeconds, commandTimeoutS, appId } of wanted ?? []) {
      const text = JSON.stringify(echoed);
      if (text.length > MAX_ECHOED) throw new Error(`the answer has ${text.length} characters`);
      const options = echoed['phonebooth:options'] as Record<string, unknown>;
      if (key !== null && 'apiKey' in options) throw new Error('the answer contains the key');
      for (const value of [minutes ?? 1, waitSeconds, commandTimeoutS])
        if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} is not a duration`);
      if (appId !== null && !/^app_[\w-]+$/.test(appId)) throw new Error(`${appId} is not an app`);
    }
  },
};
