// Drives one phone with WebdriverIO, and prints what it saw.
import { remote } from 'webdriverio';
import { APP, KEY, LABELS, NOTES, OPTIONS, target } from './scenario.mjs';

const driver = await remote({
  ...{ ...target, path: target.pathname, user: 'any', key: KEY, logLevel: 'error' },
  capabilities: { platformName: 'Android', 'appium:newCommandTimeout': 300, 'phonebooth:options': OPTIONS },
});
try {
  await driver.setTimeout({ implicit: 60_000 });
  await driver.execute('mobile: activateApp', { appId: APP });
  const display = await driver.$('id:display');
  for (const label of LABELS) await driver.$(`~${label}`).click();
  await driver.$('//*[@resource-id="display" and @text="12"]').getElement();
  const key = await driver.$('~C');
  const result = await display.getText();
  const isShown = await display.isDisplayed();
  const attribute = await display.getAttribute('resource-id');
  const { width } = await display.getSize();
  await driver
    .action('pointer', { parameters: { pointerType: 'touch' } })
    .move({ origin: key })
    .down()
    .pause(50)
    .up()
    .perform();
  await driver.$('//*[@resource-id="display" and @text="0"]').getElement();
  const picture = (await driver.takeScreenshot()).slice(0, 8);
  await driver.execute('mobile: activateApp', { appId: NOTES });
  await driver.$('~New note').click();
  const field = await driver.$('android.widget.EditText');
  await field.setValue('Grüße');
  await driver.waitUntil(async () => (await field.getText()).includes('Grüße'), { timeout: 60_000 });
  await driver.setTimeout({ implicit: 0 });
  const isFound = await driver.$('id:nothing').isExisting();
  const isStale = await driver.getElementText(display.elementId).then(
    () => false,
    ({ name }) => name === 'stale element reference',
  );
  const seen = { ...{ result, isShown, attribute, hasSize: width > 0, picture, isFound }, isStale };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await driver.deleteSession();
}
