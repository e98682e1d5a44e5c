// Drives one phone with `webdriver`, the client on which WebdriverIO is built, and prints what it saw.
import WebDriver from 'webdriver';
import { APP, KEY, LABELS, NOTES, OPTIONS, target } from './scenario.mjs';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const driver = await WebDriver.newSession({
  ...{ ...target, path: target.pathname, logLevel: 'error' },
  headers: { Authorization: `Bearer ${KEY}` },
  capabilities: {
    alwaysMatch: { 'appium:newCommandTimeout': 300, 'phonebooth:options': OPTIONS },
    firstMatch: [{ platformName: 'ios' }, { platformName: 'Android' }],
  },
});
const find = async (using, value) => (await driver.findElement(using, value))[ELEMENT];
const displays = (text) => find('xpath', `//*[@resource-id="display" and @text="${text}"]`);
try {
  await driver.setTimeouts(60_000);
  await driver.executeScript('mobile: activateApp', [{ appId: APP }]);
  const display = await find('id', 'display');
  for (const label of LABELS) await driver.elementClick(await find('accessibility id', label));
  await displays('12');
  const result = await driver.getElementText(display);
  const isShown = await driver.isElementDisplayed(display);
  const attribute = await driver.getElementAttribute(display, 'resource-id');
  const { width } = await driver.getElementRect(display);
  const key = { [ELEMENT]: await find('-android uiautomator', 'new UiSelector().text("C")') };
  const actions = [
    { type: 'pointerMove', duration: 0, x: 0, y: 0, origin: key },
    { type: 'pointerDown', button: 0 },
    { type: 'pause', duration: 50 },
    { type: 'pointerUp', button: 0 },
  ];
  await driver.performActions([
    { type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions },
  ]);
  await driver.releaseActions();
  await displays('0');
  const picture = (await driver.takeScreenshot()).slice(0, 8);
  await driver.executeScript('mobile: activateApp', [{ appId: NOTES }]);
  await driver.elementClick(await find('accessibility id', 'New note'));
  const field = await find('class name', 'android.widget.EditText');
  await driver.elementSendKeys(field, 'Grüße');
  await find('xpath', '//android.widget.EditText[contains(@text, "Grüße")]');
  await driver.setTimeouts(0);
  const isFound = (await driver.findElements('id', 'nothing')).length > 0;
  const isStale = await driver.getElementText(display).then(
    () => false,
    ({ name }) => name === 'stale element reference',
  );
  const seen = { ...{ result, isShown, attribute, hasSize: width > 0, picture, isFound }, isStale };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await driver.deleteSession();
}
