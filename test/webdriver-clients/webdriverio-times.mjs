// Times the commands of a test in WebdriverIO, in a folder with its packages. Prints the milliseconds of each turn as JSON.
import { remote } from 'webdriverio';

const { PHONEBOOTH_WEBDRIVER_URL: url, PHONEBOOTH_API_KEY: key = 'none', TARGET, TURNS: turns } = process.env;
/** `appId` is absent if the app is part of the capabilities. */
const { capabilities, appId, selector } = JSON.parse(TARGET);
const { hostname, port, pathname: path } = new URL(url);
const driver = await remote({
  ...{ protocol: 'http', hostname, port: Number(port), path, user: 'any', key, logLevel: 'error' },
  capabilities,
});
try {
  await driver.setTimeout({ implicit: 30_000 });
  if (appId) await driver.execute('mobile: activateApp', { appId });
  const times = [];
  for (let turn = 0; turn < Number(turns); turn++) {
    const before = performance.now();
    const element = await driver.$(selector).getElement();
    await element.click();
    await element.getText();
    times.push(performance.now() - before);
  }
  process.stdout.write(`${JSON.stringify(times)}\n`);
} finally {
  await driver.deleteSession();
}
